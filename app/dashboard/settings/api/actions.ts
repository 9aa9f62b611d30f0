"use server";

import { revalidatePath } from "next/cache";
import { type FormAnswer, type Refused, refused, renamed } from "@/app/dashboard/form-answer";
import type { Account } from "@/lib/accounts/accounts";
import type { InvalidField } from "@/lib/failures";
import { idIn, textOf } from "@/lib/http/form-fields";
import { findId } from "@/lib/http/ids";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { checkPasswordAgain } from "@/lib/sign-in/confirmation";
import { findAccount, reportEvent, requireAccount } from "@/lib/sign-in/sessions";
import { confirmNetworks } from "@/lib/tokens/events/token-events";
import { checkTokenExpiry } from "@/lib/tokens/expiry";
import {
  type CreateTokenResult,
  createToken,
  findToken,
  MAX_ACTIVE_TOKENS,
  renameToken,
  replaceToken,
  restrictToken,
  revokeTokens,
} from "@/lib/tokens/management";
import { isInside, MAX_NETWORKS_TEXT } from "@/lib/tokens/networks";
import { findOverlap } from "@/lib/tokens/replacement";
import { answeredToken } from "./answered-token";
import type { CreateState } from "./create/create-state";
import { findOutcome } from "./revoke/find-outcome";
import { parseSelection, type RevokeOutcome } from "./revoke/revocation";

/** Creates a token. Only the answer to this request ever contains the raw token. */
export async function createTokenAction(_: unknown, form: FormData): Promise<CreateState> {
  const account = await requireAccount();
  const { name, networks, expiry: choice, date } = valuesOf(form);
  const expiry = checkTokenExpiry(choice, date, { now: new Date(), zone: account.timeZone });
  if (expiry.kind === "invalid") return refused(expiry.message, expiry.field, valuesOf(form));
  return make(account, form, (formNonce) => createToken(account.id, { name, ...expiry, networks, formNonce }));
}

/** Creates a token in place of the one that the form names. */
export async function replaceTokenAction(_: unknown, form: FormData): Promise<CreateState> {
  const account = await requireAccount();
  const overlap = findOverlap(valuesOf(form).overlap);
  if (!overlap) return refused("Choose when the old token ends.", "overlap", valuesOf(form));
  const id = idIn(form);
  return make(account, form, (formNonce) => replaceToken(account.id, id, { overlap, formNonce }), id);
}

/** Lets the owner of the account make a token, and maybe end the one with the id `replacedId`. */
async function make(
  account: Account,
  form: FormData,
  create: (formNonce: string) => Promise<CreateTokenResult>,
  replacedId?: number,
): Promise<CreateState> {
  const result = (await checkPasswordAgain(account, form)) ?? (await create(textOf(form, "formNonce")));
  if (result.kind === "invalid") return refused(result.message, result.field, valuesOf(form));
  revalidatePath(TOKEN_PAGE, "layout");
  const token = answeredToken(result.token);
  if (result.kind === "already-created") return { kind: "created", raw: null, token, replaced: null };
  await reportEvent("token created", { accountId: account.id, tokenId: token.id });
  // The token is made: nothing that fails from here on may keep it from being shown.
  const replaced = replacedId === undefined ? null : await findToken(account.id, replacedId).catch(() => null);
  if (replaced?.revokedAt)
    await reportEvent("token revoked", { accountId: account.id, tokenId: replaced.id, reason: "replaced" });
  return { kind: "created", raw: result.raw, token, replaced: replaced && answeredToken(replaced) };
}

/** What was typed, to be shown again; never the password. */
function valuesOf(form: FormData) {
  return {
    name: textOf(form, "name"),
    expiry: textOf(form, "expiry"),
    date: textOf(form, "date"),
    networks: textOf(form, "networks", MAX_NETWORKS_TEXT),
    overlap: textOf(form, "overlap"),
  };
}

/** Gives the token of the form another name. */
export async function renameTokenAction(_: unknown, form: FormData): Promise<FormAnswer> {
  const account = await requireAccount();
  const name = textOf(form, "name");
  const result = await renameToken(account.id, idIn(form), name);
  if (result.kind === "invalid") return refused(result.message, result.field, { name });
  revalidatePath(TOKEN_PAGE, "layout");
  return renamed(result.name);
}

/** The result of changing the networks of a token. */
type NetworksState =
  /** `outside`: the ip of its last use, where its networks now exclude it. */
  { kind: "restricted"; networks: string[]; outside: string | null } | Refused;

/** Gives the token of the form the networks that it may be used from. */
export async function restrictTokenAction(_: unknown, form: FormData): Promise<NetworksState> {
  const account = await requireAccount();
  const typed = textOf(form, "networks", MAX_NETWORKS_TEXT);
  const id = idIn(form);
  const result = (await checkPasswordAgain(account, form)) ?? (await restrictToken(account.id, id, typed));
  if (result.kind === "invalid") return refused(result.message, result.field, { networks: typed });
  const { networks, lastUsedIp } = result.token;
  await reportEvent("token networks changed", { accountId: account.id, tokenId: id, count: networks.length });
  revalidatePath(TOKEN_PAGE, "layout");
  const isOutside = networks.length > 0 && !isInside(networks, lastUsedIp);
  return { kind: "restricted", networks, outside: isOutside ? lastUsedIp : null };
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
  for (const { id } of revoked) await reportEvent("token revoked", { accountId: account.id, tokenId: id });
  revalidatePath(TOKEN_PAGE, "layout");
  return { kind: "revoked", tokens: revoked.map(answeredToken), now: Date.now() };
}

/**
 * Stores that the use from the new networks of the form was the owner's own, which ends the notice of it. Each field `seen`
 * holds the id of a token and a network. Ignores other values, and those beyond the most active tokens.
 */
export async function confirmNetworksAction(form: FormData): Promise<void> {
  const account = await requireAccount();
  const seen = form.getAll("seen").slice(0, MAX_ACTIVE_TOKENS);
  const networks = seen.flatMap((value) => {
    const [id = "", network = ""] = String(value).split(" ", 2);
    const tokenId = findId(id);
    return tokenId === null || network === "" ? [] : [{ tokenId, network }];
  });
  await confirmNetworks(account.id, networks, new Date());
  revalidatePath(TOKEN_PAGE, "layout");
}

/** Refreshes the lists and pages of tokens, but keeps the panel that shows a new token. */
export async function refreshTokensAction(): Promise<void> {
  // A refresh without a session would redirect to sign-in, and the page would lose the token that it shows once.
  if (await findAccount()) revalidatePath(TOKEN_PAGE, "layout");
}
