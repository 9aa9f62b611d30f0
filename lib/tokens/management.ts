import { db, type Prisma } from "@/lib/database/client";
import { databaseNow } from "@/lib/database/clock";
import { lockAccount } from "@/lib/database/locks";
import { type InvalidField, invalid } from "@/lib/failures";
import { waitText } from "@/lib/format/relative-time";
import { DAY, MINUTE } from "@/lib/format/time";
import { isFormNonce } from "@/lib/http/form-fields";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";
import { checkTokenName } from "@/lib/tokens/name";
import { checkNetworks } from "@/lib/tokens/networks";
import { endOfReplaced, expiryOfReplacement, type Overlap } from "@/lib/tokens/replacement";
import { activeAt } from "@/lib/tokens/state";

/** Tokens of one account that are neither revoked nor expired. */
export const MAX_ACTIVE_TOKENS = 50;
/** Forms create at most this many tokens per window. Tokens that were revoked meanwhile count too. */
const MAX_CREATIONS = 10;
const CREATION_WINDOW = 10 * MINUTE;
/** Revoked and expired tokens stay on the page this long. */
const KEPT_VISIBLE = 90 * DAY;
/** The page shows only the latest ended tokens, so that it stays readable for accounts that revoke many. */
export const MAX_ENDED_SHOWN = 100;

const select = {
  id: true,
  name: true,
  hint: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  firstUsedAt: true,
  firstUsedIp: true,
  lastUsedAt: true,
  lastUsedIp: true,
  lastUsedAgent: true,
  refusedCount: true,
  lastRefusedAt: true,
  lastRefusedIp: true,
  lastRefusedAgent: true,
  replacedById: true,
  endsOnFirstUse: true,
  networks: true,
} satisfies Prisma.AccessTokenSelect;

/** A token as its owner sees it on the page: everything but the token. */
export type TokenRecord = Prisma.AccessTokenGetPayload<{ select: typeof select }>;

/** The result of a form that creates or replaces a token. */
export type CreateTokenResult =
  /** `raw` exists nowhere else and cannot be read again (contract 5.4). */
  | { kind: "created"; raw: string; token: TokenRecord }
  /** This form has created a token before, and a token is never shown twice. */
  | { kind: "already-created"; token: TokenRecord }
  /** The field "form" means that the error belongs to no single field. */
  | InvalidField<"name" | "networks" | "form">;

/**
 * Creates a token, unless its name or its networks are invalid or the account is at its limit. `formNonce` is the one-use number of a
 * form: a form that is sent twice creates one token. The quota of 10 tokens in 10 minutes only applies with a nonce.
 */
export async function createToken(
  accountId: number,
  input: { name: string; expiresAt: Date | null; networks?: string; formNonce?: string },
): Promise<CreateTokenResult> {
  const checked = checkTokenName(input.name);
  if (checked.kind === "invalid") return checked;
  const checkedNetworks = checkNetworks(input.networks ?? "");
  if (checkedNetworks.kind === "invalid") return checkedNetworks;
  return insertToken(accountId, { ...input, name: checked.name, networks: checkedNetworks.networks });
}

/**
 * Creates a token that replaces an active one, with the same name, lifetime and networks. Both work until the old token ends;
 * `overlap` decides when.
 */
export async function replaceToken(
  accountId: number,
  id: number,
  input: { overlap: Overlap; formNonce: string },
): Promise<CreateTokenResult> {
  const old = await findToken(accountId, id);
  if (!old) return invalid("form", "You have no such token.");
  return insertToken(accountId, {
    name: old.name,
    expiresAt: expiryOfReplacement(await withMeantLife(accountId, old), databaseNow()),
    networks: old.networks,
    formNonce: input.formNonce,
    replaces: { id, overlap: input.overlap },
  });
}

type NewToken = {
  name: string;
  expiresAt: Date | null;
  networks: string[];
  formNonce?: string;
  replaces?: { id: number; overlap: Overlap };
};

async function insertToken(accountId: number, input: NewToken): Promise<CreateTokenResult> {
  const { name, formNonce, expiresAt, networks, replaces } = input;
  if (formNonce !== undefined && !isFormNonce(formNonce)) {
    return invalid("form", "This form is incomplete. Reload the page and try again.");
  }
  return db.$transaction(async (tx) => {
    // The lock runs creations of one account one after another, so that the limit and the nonce are exact.
    await lockAccount(tx, accountId);
    if (formNonce !== undefined) {
      const where = { accountId, formNonce } satisfies Prisma.AccessTokenWhereInput;
      const earlier = await tx.accessToken.findFirst({ where, select });
      if (earlier) return { kind: "already-created", token: earlier };
      const waitMs = await creationWait(tx, accountId);
      if (waitMs > 0) {
        return invalid(
          "form",
          `You can create at most ${MAX_CREATIONS} tokens in ${CREATION_WINDOW / MINUTE} minutes. Try again in ${waitText(waitMs)}.`,
        );
      }
    }
    const now = databaseNow();
    const active = await tx.accessToken.count({ where: { accountId, ...activeAt(now) } });
    // Without an overlap, the old token ends now and frees its place for the new one.
    if (active - (replaces?.overlap === "none" ? 1 : 0) >= MAX_ACTIVE_TOKENS) {
      return invalid(
        "form",
        `An account can have ${MAX_ACTIVE_TOKENS} active tokens. Revoke one that is no longer needed first.`,
      );
    }
    // As it is now: its networks may have been changed since it was read.
    const old = replaces && (await findReplaceable(tx, replaces.id, now));
    if (old === null) return invalid("form", "This token has ended, or another one is taking its place already.");
    const raw = mintToken();
    const token = await tx.accessToken.create({
      data: {
        accountId,
        name,
        tokenHash: hashToken(raw),
        hint: tokenHint(raw),
        expiresAt,
        networks: old?.networks ?? networks,
        formNonce: formNonce ?? null,
      } satisfies Prisma.AccessTokenUncheckedCreateInput,
      select,
    });
    if (replaces && old) {
      await tx.accessToken.updateMany({
        where: { id: old.id, ...activeAt(now) },
        data: { replacedById: token.id, ...endOfReplaced(replaces.overlap, old, now) },
      });
    }
    return { kind: "created", raw, token };
  });
}

function findReplaceable(tx: Prisma.TransactionClient, id: number, now: Date): Promise<TokenRecord | null> {
  const isFree = { OR: [{ replacedById: null }, { replacedBy: { NOT: activeAt(now) } }] };
  return tx.accessToken.findFirst({ where: { id, AND: [activeAt(now), isFree] }, select });
}

/** Milliseconds until a form may create one more token; 0 when it may now. */
async function creationWait(tx: Prisma.TransactionClient, accountId: number): Promise<number> {
  const now = databaseNow().getTime();
  const oldest = await tx.accessToken.findFirst({
    where: { accountId, formNonce: { not: null }, createdAt: { gt: new Date(now - CREATION_WINDOW) } },
    select: { createdAt: true },
    orderBy: { createdAt: "desc" },
    skip: MAX_CREATIONS - 1,
  });
  return oldest ? Math.max(1, oldest.createdAt.getTime() + CREATION_WINDOW - now) : 0;
}

/** Gives a token of the account another name; nothing else about it changes. */
export async function renameToken(
  accountId: number,
  id: number,
  typed: string,
): Promise<{ kind: "renamed"; name: string } | InvalidField<"name">> {
  const checked = checkTokenName(typed);
  if (checked.kind === "invalid") return checked;
  const { count } = await db.accessToken.updateMany({ where: { id, accountId }, data: { name: checked.name } });
  return count === 1 ? { kind: "renamed", name: checked.name } : invalid("name", "You have no such token.");
}

/**
 * Gives a token of the account the networks that a person typed, in place of those that it had. They hold from its next
 * request on.
 */
export async function restrictToken(
  accountId: number,
  id: number,
  typed: string,
): Promise<{ kind: "restricted"; token: TokenRecord } | InvalidField<"networks">> {
  const checked = checkNetworks(typed);
  if (checked.kind === "invalid") return checked;
  const [token] = await afterCreations(accountId, (tx) =>
    tx.accessToken.updateManyAndReturn({
      where: { id, accountId, ...activeAt(databaseNow()) },
      data: { networks: checked.networks },
      select,
    }),
  );
  return token
    ? { kind: "restricted", token }
    : invalid("networks", "This token has ended. Its networks can no longer be changed.");
}

/** What the token page shows: every active token, newest first, and the last ended ones, the latest end first. */
export type TokenLists = {
  active: TokenRecord[];
  /** Revoked or expired within 90 days, at most 100. */
  ended: TokenRecord[];
  /** More tokens ended within 90 days than `ended` holds. */
  hasMoreEnded: boolean;
};

/** The tokens of the account as they are at `now`. */
export async function listTokens(accountId: number, now: Date): Promise<TokenLists> {
  const since = new Date(now.getTime() - KEPT_VISIBLE);
  const take = MAX_ENDED_SHOWN + 1;
  const [active, revoked, expired] = await Promise.all([
    db.accessToken.findMany({
      where: { accountId, ...activeAt(now) },
      select,
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    }),
    db.accessToken.findMany({
      where: { accountId, revokedAt: { gt: since } },
      select,
      orderBy: [{ revokedAt: "desc" }, { id: "desc" }],
      take,
    }),
    db.accessToken.findMany({
      where: { accountId, revokedAt: null, expiresAt: { gt: since, lte: now } },
      select,
      orderBy: [{ expiresAt: "desc" }, { id: "desc" }],
      take,
    }),
  ]);
  const ended = [...revoked, ...expired].sort((a, b) => Number(endOf(b)) - Number(endOf(a)) || b.id - a.id);
  return { active, ended: ended.slice(0, MAX_ENDED_SHOWN), hasMoreEnded: ended.length > MAX_ENDED_SHOWN };
}

/** The newest tokens of the account among these, at most `most`, in order of creation. */
export function findTokens(accountId: number, where: Prisma.AccessTokenWhereInput, most = MAX_ACTIVE_TOKENS) {
  // A negative number takes the last ones.
  return db.accessToken.findMany({ where: { ...where, accountId }, select, orderBy: { id: "asc" }, take: -most });
}

/** One token of the account, or null when there is none (any more). */
export async function findToken(accountId: number, id: number): Promise<TokenRecord | null> {
  return db.accessToken.findFirst({ where: { id, accountId }, select });
}

/** Returns the token that lives as long as this one was meant to: the last of those that took its place, or itself. */
export async function withMeantLife(accountId: number, token: TokenRecord): Promise<TokenRecord> {
  const next = token.replacedById === null ? null : await findToken(accountId, token.replacedById);
  return next ? withMeantLife(accountId, next) : token;
}

/** Returns the latest token that this one replaced, or null. */
export async function findReplacedBy(accountId: number, id: number): Promise<TokenRecord | null> {
  return db.accessToken.findFirst({ where: { accountId, replacedById: id }, select, orderBy: { id: "desc" } });
}

/**
 * Revokes active tokens: the given ones, or all of the account. They are refused from their next request on
 * (contract 5.5). Returns the tokens that this call revoked. They all share one instant.
 */
export async function revokeTokens(accountId: number, selection: readonly number[] | "all"): Promise<TokenRecord[]> {
  const revoked = await afterCreations(accountId, (tx) => {
    const now = databaseNow();
    return tx.accessToken.updateManyAndReturn({
      where: { accountId, ...activeAt(now), ...(selection !== "all" && { id: { in: [...selection] } }) },
      data: { revokedAt: now },
      select,
    });
  });
  return revoked.sort((a, b) => a.id - b.id);
}

/** Does something to all tokens of an account that there are: those that are being created are there before, or come after. */
function afterCreations<Result>(accountId: number, work: (tx: Prisma.TransactionClient) => Promise<Result>) {
  return db.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    return work(tx);
  });
}

/** When a token stopped working or will stop. Null means that it never ends. */
export function endOf(token: Pick<TokenRecord, "revokedAt" | "expiresAt">): Date | null {
  return token.revokedAt ?? token.expiresAt;
}
