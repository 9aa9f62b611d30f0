"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { TOKEN_PAGE } from "@/app/paths";
import { textOf } from "@/lib/http/form-fields";
import { findId } from "@/lib/http/ids";
import { securityEvent } from "@/lib/process/security-events";
import { requestSender, requireAccount } from "@/lib/sign-in/sessions";
import { checkTokenExpiry } from "@/lib/tokens/expiry";
import { containsToken } from "@/lib/tokens/format";
import { createToken, revokeAllTokens, revokeToken, type TokenRecord } from "@/lib/tokens/management";
import type { CreatedToken, CreateState } from "./create-state";

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
  securityEvent("token created", { accountId: account.id, tokenId: token.id, address: (await requestSender()).ip });
  return { kind: "created", raw: result.raw, token };
}

/** Revokes the token of the form and goes to the page that says what became of it. */
export async function revokeTokenAction(form: FormData): Promise<never> {
  const account = await requireAccount();
  const id = findId(textOf(form, "id"));
  if (id === null || !(await revokeToken(account.id, id))) redirect(`${TOKEN_PAGE}?unchanged=${id ?? 0}`);
  securityEvent("token revoked", { accountId: account.id, tokenId: id, address: (await requestSender()).ip });
  redirect(`${TOKEN_PAGE}?revoked=${id}`);
}

/** Revokes every active token and goes to the page that says how many those were. */
export async function revokeAllTokensAction(): Promise<never> {
  const account = await requireAccount();
  const count = await revokeAllTokens(account.id);
  if (count === 0) redirect(`${TOKEN_PAGE}?unchanged=all`);
  securityEvent("all tokens revoked", { accountId: account.id, address: (await requestSender()).ip, count });
  redirect(`${TOKEN_PAGE}?revoked=all`);
}

function summarize({ id, name, hint, expiresAt }: TokenRecord): CreatedToken {
  return { id, name, hint, expiresAt };
}
