import { db, type Prisma } from "@/lib/database/client";
import { InvalidInputError } from "@/lib/failures";
import { waitText } from "@/lib/relative-time";
import { DAY, MINUTE } from "@/lib/time";
import { containsToken, hashToken, mintToken, tokenHint } from "@/lib/tokens/format";

/** Tokens of one account that are neither revoked nor expired. */
export const MAX_ACTIVE_TOKENS = 50;
/** In characters as people count them (code points). */
export const MAX_TOKEN_NAME_LENGTH = 64;
/** A form creates at most so many tokens in so many milliseconds, revoked ones included. */
const MAX_CREATIONS = 10;
const CREATION_WINDOW = 10 * MINUTE;
/** Revoked and expired tokens stay on the page this long. */
const KEPT_VISIBLE = 90 * DAY;

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
} satisfies Prisma.AccessTokenSelect;

/** A token as its owner sees it on the page: everything but the token. */
export type TokenRecord = Prisma.AccessTokenGetPayload<{ select: typeof select }>;

export type TokenState = "active" | "expired" | "revoked";

/** Thrown when the form that asks for a token has created one already; a token is never shown twice. */
export class AlreadyCreatedError extends Error {
  override name = "AlreadyCreatedError";
  constructor(readonly token: TokenRecord) {
    super(`This form has already created the token "${token.name}".`);
  }
}

/**
 * Creates a token and returns the raw value, which exists nowhere else and cannot be read again (spec 5.4).
 * `formNonce` is the one-use number of a form: sending the form twice creates one token, and a form creates at most 10
 * tokens in 10 minutes.
 * @throws InvalidInputError for an unusable name or expiry, at the limit of active tokens, or after too many creations.
 * @throws AlreadyCreatedError for a nonce that was used before.
 */
export async function createToken(
  accountId: number,
  input: { name: string; expiresAt: Date | null; formNonce?: string },
): Promise<{ raw: string; token: TokenRecord }> {
  const name = parseTokenName(input.name);
  if (input.expiresAt && input.expiresAt.getTime() <= Date.now()) {
    throw new InvalidInputError("The expiry date lies in the past.");
  }
  const raw = mintToken();
  const token = await db.$transaction(async (tx) => {
    // Creations of one account wait for each other here, so that the limit and the nonce are exact.
    await tx.$queryRaw`select id from accounts where id = ${accountId} for update`;
    if (input.formNonce) {
      const earlier = await tx.accessToken.findFirst({ where: { accountId, formNonce: input.formNonce }, select });
      if (earlier) throw new AlreadyCreatedError(earlier);
      await requireCreationQuota(tx, accountId);
    }
    if ((await tx.accessToken.count({ where: { accountId, ...activeAt(new Date()) } })) >= MAX_ACTIVE_TOKENS) {
      throw new InvalidInputError(
        `An account can have ${MAX_ACTIVE_TOKENS} active tokens. Revoke one that is no longer needed first.`,
      );
    }
    return tx.accessToken.create({
      data: {
        accountId,
        name,
        tokenHash: hashToken(raw),
        hint: tokenHint(raw),
        expiresAt: input.expiresAt,
        formNonce: input.formNonce ?? null,
      },
      select,
    });
  });
  return { raw, token };
}

async function requireCreationQuota(tx: Prisma.TransactionClient, accountId: number): Promise<void> {
  const now = Date.now();
  const creations = await tx.accessToken.findMany({
    where: { accountId, formNonce: { not: null }, createdAt: { gt: new Date(now - CREATION_WINDOW) } },
    select: { createdAt: true },
    orderBy: { createdAt: "desc" },
    take: MAX_CREATIONS,
  });
  const oldest = creations[MAX_CREATIONS - 1];
  if (!oldest) return;
  const wait = waitText(oldest.createdAt.getTime() + CREATION_WINDOW - now);
  throw new InvalidInputError(
    `${MAX_CREATIONS} tokens in ${CREATION_WINDOW / MINUTE} minutes is the most. Try again in ${wait}.`,
  );
}

/** Active tokens first, newest first in each part; revoked and expired ones for 90 days. */
export async function listTokens(accountId: number): Promise<TokenRecord[]> {
  const now = new Date();
  const since = new Date(now.getTime() - KEPT_VISIBLE);
  const tokens = await db.accessToken.findMany({
    where: {
      accountId,
      AND: [
        { OR: [{ revokedAt: null }, { revokedAt: { gt: since } }] },
        { OR: [{ expiresAt: null }, { expiresAt: { gt: since } }] },
      ],
    },
    select,
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  const isActive = (token: TokenRecord) => tokenState(token, now) === "active";
  return [...tokens.filter(isActive), ...tokens.filter((token) => !isActive(token))];
}

/** One token of the account, or null when there is none (any more). */
export async function findToken(accountId: number, id: number): Promise<TokenRecord | null> {
  return db.accessToken.findFirst({ where: { id, accountId }, select });
}

/** Refused from the next request on (spec 5.5). False when the account has no such active token: nothing changed. */
export async function revokeToken(accountId: number, id: number): Promise<boolean> {
  const now = new Date();
  const { count } = await db.accessToken.updateMany({
    where: { id, accountId, ...activeAt(now) },
    data: { revokedAt: now },
  });
  return count === 1;
}

/** Revokes every active token of the account and returns how many those were. */
export async function revokeAllTokens(accountId: number): Promise<number> {
  const now = new Date();
  const { count } = await db.accessToken.updateMany({
    where: { accountId, ...activeAt(now) },
    data: { revokedAt: now },
  });
  return count;
}

/** Whether a token works at `now`, and if not, why. */
export function tokenState(token: Pick<TokenRecord, "revokedAt" | "expiresAt">, now: Date): TokenState {
  if (token.revokedAt) return "revoked";
  return token.expiresAt && token.expiresAt <= now ? "expired" : "active";
}

/** Trimmed. @throws InvalidInputError naming what is wrong with it. */
export function parseTokenName(text: string): string {
  const name = text.trim();
  if (containsToken(name)) {
    throw new InvalidInputError("That looks like a token. Give the token a name that says where it will be used.");
  }
  if (name === "") throw new InvalidInputError("Give the token a name.");
  if ([...name].length > MAX_TOKEN_NAME_LENGTH) {
    throw new InvalidInputError(
      `A name has at most ${MAX_TOKEN_NAME_LENGTH} characters; this one has ${[...name].length}.`,
    );
  }
  // Control characters, and the ones that turn the direction of the text around them.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u.test(name)) {
    throw new InvalidInputError("A name cannot hold line breaks, control characters or text-direction characters.");
  }
  return name;
}

function activeAt(now: Date): Prisma.AccessTokenWhereInput {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
