"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { SETTINGS_API as PAGE } from "@/app/paths";
import { InvalidInputError } from "@/lib/failures";
import { textOf } from "@/lib/http/form-fields";
import { securityEvent } from "@/lib/process/security-events";
import { requestSender, requireAccount } from "@/lib/sign-in/sessions";
import { parseTokenExpiry } from "@/lib/tokens/expiry";
import { containsToken } from "@/lib/tokens/format";
import {
  AlreadyCreatedError,
  createToken,
  parseTokenName,
  revokeAllTokens,
  revokeToken,
  type TokenRecord,
} from "@/lib/tokens/management";
import type { CreatedToken, CreateField, CreateState } from "./create-state";
import { findTokenId } from "./token-id";

/** Creates a token. The answer to this request, and nothing else ever, holds the raw token. */
export async function createTokenAction(_: CreateState, form: FormData): Promise<CreateState> {
  const account = await requireAccount();
  const values = { name: textOf(form, "name"), expiry: textOf(form, "expiry"), date: textOf(form, "date") };
  let field: CreateField = "name";
  try {
    const name = parseTokenName(values.name);
    field = "expiry";
    const expiresAt = parseTokenExpiry(values.expiry, values.date, new Date());
    field = "form";
    const formNonce = parseFormNonce(textOf(form, "formNonce"));
    const { raw, token } = await createToken(account.id, { name, expiresAt, formNonce });
    securityEvent("token created", { accountId: account.id, tokenId: token.id, address: (await requestSender()).ip });
    revalidatePath(PAGE);
    return { kind: "created", raw, token: summarize(token) };
  } catch (error) {
    if (error instanceof AlreadyCreatedError) {
      revalidatePath(PAGE);
      return { kind: "already-created", token: summarize(error.token) };
    }
    if (!(error instanceof InvalidInputError)) throw error;
    // A token that was pasted as a name is not sent back: what is on a page is in its history.
    const name = containsToken(values.name) ? "" : values.name;
    return { kind: "invalid", field, message: error.message, values: { ...values, name } };
  }
}

/** Revokes the token of the form and goes to the page that says what became of it. */
export async function revokeTokenAction(form: FormData): Promise<never> {
  const account = await requireAccount();
  const id = findTokenId(textOf(form, "id"));
  if (id === null || !(await revokeToken(account.id, id))) redirect(`${PAGE}?unchanged=${id ?? 0}`);
  securityEvent("token revoked", { accountId: account.id, tokenId: id, address: (await requestSender()).ip });
  redirect(`${PAGE}?revoked=${id}`);
}

/** Revokes every active token and goes to the page that says how many those were. */
export async function revokeAllTokensAction(): Promise<never> {
  const account = await requireAccount();
  const count = await revokeAllTokens(account.id);
  if (count === 0) redirect(`${PAGE}?unchanged=all`);
  securityEvent("all tokens revoked", { accountId: account.id, address: (await requestSender()).ip, count });
  redirect(`${PAGE}?revoked=all`);
}

/** @throws InvalidInputError for a form that the page did not write. */
function parseFormNonce(text: string): string {
  if (!/^[\w-]{20,64}$/.test(text))
    throw new InvalidInputError("This form is incomplete. Reload the page and try again.");
  return text;
}

function summarize({ id, name, hint, expiresAt }: TokenRecord): CreatedToken {
  return { id, name, hint, expiresAt };
}
