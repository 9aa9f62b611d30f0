"use server";

import { waitText } from "@/lib/format/relative-time";
import { textOf } from "@/lib/http/form-fields";
import { requireAccount } from "@/lib/sign-in/sessions";
import { findNews, listTokenNews, type TokenEvent } from "@/lib/tokens/events/token-events";
import { lookUpToken } from "@/lib/tokens/lookup";
import { endOf, type TokenRecord } from "@/lib/tokens/management";
import { tokenState } from "@/lib/tokens/state";

/** The answer to a pasted token. It never contains the pasted text. Times are numbers, because the form sends its last answer back. */
export type LookUpAnswer = { kind: "message"; message: string } | { kind: "found"; tokens: FoundToken[]; now: number };

type FoundToken = ReturnType<typeof foundToken>;

const message = (text: string): LookUpAnswer => ({ kind: "message", message: text });

/** Finds the token that was pasted among those of the account. */
export async function lookUpTokenAction(_: unknown, form: FormData): Promise<LookUpAnswer> {
  const account = await requireAccount();
  const result = await lookUpToken(account.id, textOf(form, "pasted"));
  if (result.kind === "throttled") return message(`Too many attempts. Try again in ${waitText(result.waitMs)}.`);
  if (result.kind === "unclear") {
    return message("That is neither a whole token nor its last four characters: it may be incomplete or mistyped.");
  }
  if (result.tokens.length === 0)
    return message(
      "This is not one of your tokens. It may belong to another account, or it ended over 90 days ago and is no longer kept.",
    );
  const now = new Date();
  const ids = result.tokens.map(({ id }) => id);
  const news = await listTokenNews(ids, now);
  return { kind: "found", tokens: result.tokens.map((token) => foundToken(token, news, now)), now: now.getTime() };
}

/** `network`: the new one that it is used from. */
function foundToken(token: TokenRecord, news: readonly TokenEvent[], now: Date) {
  const { id, name, hint } = token;
  const state = tokenState(token, now);
  const seen = state === "active" ? findNews(news, id, "new_network") : undefined;
  const [endedAt, lastUsedAt] = [endOf(token)?.getTime() ?? null, token.lastUsedAt?.getTime() ?? null];
  return { id, name, hint, state, endedAt, lastUsedAt, network: seen?.facts.network ?? null };
}
