"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { TOKEN_PAGE } from "@/app/paths";
import { textOf } from "@/lib/http/form-fields";
import { securityEvent } from "@/lib/process/security-events";
import { requestSender, requireAccount } from "@/lib/sign-in/sessions";
import { checkTokenExpiry } from "@/lib/tokens/expiry";
import { containsToken } from "@/lib/tokens/format";
import { createToken, revokeTokens, type TokenRecord } from "@/lib/tokens/management";
import type { CreatedToken, CreateState } from "./create-state";
import { findOutcome } from "./find-outcome";
import { parseIds } from "./page-query";
import type { RevokeOutcome } from "./revoke-outcome";

/** Creates a token. The answer to this request, and nothing else ever, holds the raw token. */
export async function createTokenAction(_: CreateState, form: FormData): Promise<CreateState> {
  const account = await requireAccount();
  const values = { name: textOf(form, "name"), expiry: textOf(form, "expiry"), date: textOf(form, "date") };
  const expiry = checkTokenExpiry(values.expiry, values.date, new Date());
  const formNonce = textOf(form, "formNonce");
  const result =
    expiry.kind === "invalid"
      ? expiry
      : await createToken(account.id, { name: values.name, expiresAt: expiry.expiresAt, formNonce });
  if (result.kind === "invalid") {
    // A token that was pasted as a name is not sent back: what is on a page is in its history.
    return { ...result, values: { ...values, name: containsToken(values.name) ? "" : values.name } };
  }
  const token = summarize(result.token);
  revalidatePath(TOKEN_PAGE);
  if (result.kind === "already-created") return { kind: "already-created", token };
  securityEvent("token created", { accountId: account.id, tokenId: token.id, ip: (await requestSender()).ip });
  return { kind: "created", raw: result.raw, token };
}

/** Revokes the tokens of the form, for a page that stays where it is and says itself what became of it. */
export async function revokeTokensAction(form: FormData): Promise<RevokeOutcome> {
  const { ids, outcome } = await revoke(form);
  if (ids.length > 0) revalidatePath(TOKEN_PAGE);
  return outcome;
}

/** The same for browsers without JavaScript: goes to the page that says what became of it. */
export async function revokeTokensAndGoAction(form: FormData): Promise<never> {
  const { which, ids } = await revoke(form);
  redirect(`${TOKEN_PAGE}?${ids.length > 0 ? `revoked=${ids}` : `unchanged=${which}`}`);
}

async function revoke(form: FormData) {
  const account = await requireAccount();
  const which = form.has("all") ? "all" : parseIds(form.getAll("id").join(","));
  const revoked = await revokeTokens(account.id, which);
  const { ip } = await requestSender();
  for (const { id } of revoked) securityEvent("token revoked", { accountId: account.id, tokenId: id, ip });
  const ids = revoked.map(({ id }) => id);
  const outcome = await findOutcome(account.id, ids.length > 0 ? { revoked: ids } : { unchanged: which }, new Date());
  return { which, ids, outcome: outcome ?? { kind: "nothing" as const, isAll: false } };
}

function summarize({ id, name, hint, expiresAt }: TokenRecord): CreatedToken {
  return { id, name, hint, expiresAt };
}
