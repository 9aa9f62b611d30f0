"use server";

import { revalidatePath } from "next/cache";
import { type FormAnswer, refused as refuseField, withoutTokens } from "@/app/dashboard/form-answer";
import type { Account } from "@/lib/accounts/accounts";
import type { InvalidField } from "@/lib/failures";
import { idIn, textOf } from "@/lib/http/form-fields";
import { findId } from "@/lib/http/ids";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { securityEvent } from "@/lib/process/security-events";
import { checkPasswordAgain } from "@/lib/sign-in/confirmation";
import { findAccount, requestSender, requireAccount } from "@/lib/sign-in/sessions";
import { confirmNetworks } from "@/lib/tokens/events/token-events";
import { checkTokenExpiry } from "@/lib/tokens/expiry";
import {
  type CreateTokenResult,
  createToken,
  endOf,
  findToken,
  MAX_ACTIVE_TOKENS,
  renameToken,
  replaceToken,
  restrictToken,
  revokeTokens,
  type TokenRecord,
} from "@/lib/tokens/management";
import { isInside, MAX_NETWORKS_TEXT } from "@/lib/tokens/networks";
import { findOverlap } from "@/lib/tokens/replacement";
import { tokenState } from "@/lib/tokens/state";
import type { CreatedToken, CreateField, CreateState, CreateValues, ReplacedToken } from "./create/create-state";
import { SEEN_FIELD, type SeenFrom } from "./list/known-networks";
import { findOutcome } from "./revoke/find-outcome";
import { parseSelection, type RevokeOutcome } from "./revoke/revocation";

/** Creates a token. Only the answer to this request ever contains the raw token. */
export async function createTokenAction(_: CreateState, form: FormData): Promise<CreateState> {
  const account = await requireAccount();
  const values = valuesOf(form);
  const expiry = checkTokenExpiry(values.expiry, values.date, { now: new Date(), zone: account.timeZone });
  if (expiry.kind === "invalid") return refused(expiry, values);
  const stranger = await checkPasswordAgain(account, form);
  if (stranger) return refused(stranger, values);
  const { name, networks } = values;
  const input = { name, ...expiry, networks, formNonce: textOf(form, "formNonce") };
  return answer(account, await createToken(account.id, input), values, null);
}

/** Creates a token in place of the one that the form names. */
export async function replaceTokenAction(_: CreateState, form: FormData): Promise<CreateState> {
  const account = await requireAccount();
  const values = valuesOf(form);
  const overlap = findOverlap(values.overlap);
  if (!overlap)
    return refused({ kind: "invalid", field: "overlap", message: "Choose when the old token ends." }, values);
  const stranger = await checkPasswordAgain(account, form);
  if (stranger) return refused(stranger, values);
  const id = idIn(form);
  const result = await replaceToken(account.id, id, { overlap, formNonce: textOf(form, "formNonce") });
  if (result.kind === "created" && overlap === "none") {
    const { ip } = await requestSender();
    securityEvent("token revoked", { accountId: account.id, tokenId: id, ip, reason: "replaced" });
  }
  const old = result.kind === "created" ? await findToken(account.id, id) : null;
  return answer(account, result, values, old);
}

async function answer(
  account: Account,
  result: CreateTokenResult,
  values: CreateValues,
  old: TokenRecord | null,
): Promise<CreateState> {
  if (result.kind === "invalid") return refused(result, values);
  const token = summarize(result.token);
  revalidatePath(TOKEN_PAGE, "layout");
  if (result.kind === "already-created") return { kind: "already-created", token };
  securityEvent("token created", { accountId: account.id, tokenId: token.id, ip: (await requestSender()).ip });
  return { kind: "created", raw: result.raw, token, replaced: old && summarizeReplaced(old) };
}

function valuesOf(form: FormData): CreateValues {
  return {
    name: textOf(form, "name"),
    expiry: textOf(form, "expiry"),
    date: textOf(form, "date"),
    networks: textOf(form, "networks", MAX_NETWORKS_TEXT),
    overlap: textOf(form, "overlap"),
  };
}

function refused(reason: InvalidField<CreateField>, values: CreateValues): CreateState {
  return { ...reason, values: withoutTokens(values) };
}

/** Gives the token of the form another name. */
export async function renameTokenAction(_: FormAnswer, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const name = textOf(form, "name");
  const result = await renameToken(account.id, idIn(form), name);
  if (result.kind === "invalid") return refuseField(result.message, result.field, { name });
  revalidatePath(TOKEN_PAGE, "layout");
  return { kind: "renamed", name: result.name };
}

/** The result of changing the networks of a token. `typed` is shown again. */
export type NetworksState =
  | { kind: "empty" }
  /** `outside`: the ip of its last use, where its networks now exclude it. */
  | { kind: "restricted"; networks: string[]; outside: string | null }
  | (InvalidField<"networks" | "password"> & { typed: string });

/** Gives the token of the form the networks that it may be used from. */
export async function restrictTokenAction(_: NetworksState, form: FormData): Promise<NetworksState> {
  const account = await requireAccount();
  const typed = textOf(form, "networks", MAX_NETWORKS_TEXT);
  const refuse = (reason: InvalidField<"networks" | "password">) => ({ ...reason, ...withoutTokens({ typed }) });
  const stranger = await checkPasswordAgain(account, form);
  if (stranger) return refuse(stranger);
  const id = idIn(form);
  const result = await restrictToken(account.id, id, typed);
  if (result.kind === "invalid") return refuse(result);
  const { networks } = result;
  const count = networks.length;
  securityEvent("token networks changed", {
    accountId: account.id,
    tokenId: id,
    ip: (await requestSender()).ip,
    count,
  });
  revalidatePath(TOKEN_PAGE, "layout");
  const lastIp = (await findToken(account.id, id))?.lastUsedIp ?? null;
  const isOutside = lastIp !== null && count > 0 && !isInside(networks, lastIp);
  return { kind: "restricted", networks, outside: isOutside ? lastIp : null };
}

/** Revokes the tokens that the form names in its field `id`: "all", or their ids. */
export async function revokeTokensAction(
  _: unknown,
  form: FormData,
): Promise<RevokeOutcome | InvalidField<"password">> {
  const account = await requireAccount();
  const selection = parseSelection(textOf(form, "id"));
  const stranger = selection === "all" ? await checkPasswordAgain(account, form) : null;
  if (stranger) return stranger;
  const revoked = await revokeTokens(account.id, selection);
  if (revoked.length === 0) return findOutcome(account.id, selection, new Date());
  const { ip } = await requestSender();
  for (const { id } of revoked) securityEvent("token revoked", { accountId: account.id, tokenId: id, ip });
  revalidatePath(TOKEN_PAGE, "layout");
  const tokens = revoked.map(({ id, name, hint }) => ({ id, name, hint }));
  return { kind: "revoked", tokens, at: Date.now(), now: Date.now() };
}

/** Stores that the use from the new networks of the form was the owner's own, which ends the notice of it. */
export async function confirmNetworksAction(form: FormData): Promise<void> {
  const account = await requireAccount();
  await confirmNetworks(account.id, seenIn(form), new Date());
  revalidatePath(TOKEN_PAGE, "layout");
}

/** Refreshes the lists and pages of tokens, but keeps the panel that shows a new token. */
export async function refreshTokensAction(): Promise<void> {
  // A refresh without a session would redirect to sign-in, and the page would lose the token that it shows once.
  if (await findAccount()) revalidatePath(TOKEN_PAGE, "layout");
}

function summarizeReplaced(old: TokenRecord): ReplacedToken {
  const endsAt = old.endsOnFirstUse ? null : endOf(old);
  return { id: old.id, hint: old.hint, hasEnded: tokenState(old, new Date()) !== "active", endsAt };
}

function summarize({ id, name, hint, expiresAt, networks }: TokenRecord): CreatedToken {
  return { id, name, hint, expiresAt, networks };
}

/** Reads the fields of a form, at most one for each active token. Ignores other values. */
function seenIn(form: FormData): SeenFrom[] {
  return form
    .getAll(SEEN_FIELD)
    .slice(0, MAX_ACTIVE_TOKENS)
    .flatMap((value) => {
      const [id = "", network = ""] = String(value).split(" ", 2);
      const tokenId = findId(id);
      return tokenId === null || network === "" ? [] : [{ tokenId, network }];
    });
}
