"use server";

import { waitText } from "@/lib/format/relative-time";
import { textOf } from "@/lib/http/form-fields";
import { requireAccount } from "@/lib/sign-in/sessions";
import { findNews, listTokenNews } from "@/lib/tokens/events/token-events";
import { lookUpToken } from "@/lib/tokens/lookup";
import { endOf, type TokenRecord } from "@/lib/tokens/management";
import { type TokenState, tokenState } from "@/lib/tokens/state";

type Found = Pick<TokenRecord, "id" | "name" | "hint"> & {
  state: TokenState;
  endedAt: number | null;
  lastUsedAt: number | null;
  /** The new network that it is used from. */
  network: string | null;
};

/** The answer to a pasted token. It never contains the pasted text. Times are numbers, because the form sends its last answer back. */
export type LookUpAnswer = { kind: "message"; message: string } | { kind: "found"; tokens: Found[]; now: number };

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
  const tokens = result.tokens.map((token): Found => {
    const { id, name, hint } = token;
    const state = tokenState(token, now);
    const seen = state === "active" ? findNews(news, id, "new_network") : undefined;
    const [endedAt, lastUsedAt] = [endOf(token)?.getTime() ?? null, token.lastUsedAt?.getTime() ?? null];
    return { id, name, hint, state, endedAt, lastUsedAt, network: seen?.facts.network ?? null };
  });
  return { kind: "found", tokens, now: now.getTime() };
}
