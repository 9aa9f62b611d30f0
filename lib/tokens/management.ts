import { db, type Prisma } from "@/lib/database/client";
import type { InvalidField } from "@/lib/failures";
import { isFormNonce } from "@/lib/http/form-fields";
import { waitText } from "@/lib/relative-time";
import { DAY, MINUTE } from "@/lib/time";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";
import { checkTokenName } from "@/lib/tokens/name";
import { activeAt, tokenState } from "@/lib/tokens/state";

/** Tokens of one account that are neither revoked nor expired. */
export const MAX_ACTIVE_TOKENS = 50;
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

/** What became of a form that asks for a token. */
export type CreateTokenResult =
  /** `raw` exists nowhere else and cannot be read again (spec 5.4). */
  | { kind: "created"; raw: string; token: TokenRecord }
  /** This form has created a token before, and a token is never shown twice. */
  | { kind: "already-created"; token: TokenRecord }
  /** The field "form" stands for what no single field is to blame for. */
  | InvalidField<"name" | "form">;

/**
 * Creates a token, unless its name is unusable or the account has as many as it can have. `formNonce` is the one-use
 * number of a form: sending the form twice creates one token, and forms create at most 10 tokens in 10 minutes.
 */
export async function createToken(
  accountId: number,
  input: { name: string; expiresAt: Date | null; formNonce?: string },
): Promise<CreateTokenResult> {
  const { formNonce, expiresAt } = input;
  const checked = checkTokenName(input.name);
  if (checked.kind === "invalid") return checked;
  if (formNonce !== undefined && !isFormNonce(formNonce)) {
    return refusal("This form is incomplete. Reload the page and try again.");
  }
  return db.$transaction(async (tx) => {
    // Creations of one account wait for each other here, so that the limit and the nonce are exact.
    await tx.$queryRaw`select id from accounts where id = ${accountId} for update`;
    if (formNonce !== undefined) {
      const earlier = await tx.accessToken.findFirst({ where: { accountId, formNonce }, select });
      if (earlier) return { kind: "already-created", token: earlier };
      const waitMs = await creationWait(tx, accountId);
      if (waitMs > 0) {
        return refusal(
          `${MAX_CREATIONS} tokens in ${CREATION_WINDOW / MINUTE} minutes is the most. Try again in ${waitText(waitMs)}.`,
        );
      }
    }
    if ((await tx.accessToken.count({ where: { accountId, ...activeAt(new Date()) } })) >= MAX_ACTIVE_TOKENS) {
      return refusal(
        `An account can have ${MAX_ACTIVE_TOKENS} active tokens. Revoke one that is no longer needed first.`,
      );
    }
    const raw = mintToken();
    const token = await tx.accessToken.create({
      data: {
        accountId,
        name: checked.name,
        tokenHash: hashToken(raw),
        hint: tokenHint(raw),
        expiresAt,
        formNonce: formNonce ?? null,
      },
      select,
    });
    return { kind: "created", raw, token };
  });
}

function refusal(message: string): InvalidField<"form"> {
  return { kind: "invalid", field: "form", message };
}

/** Milliseconds until a form may create one more token; 0 when it may now. */
async function creationWait(tx: Prisma.TransactionClient, accountId: number): Promise<number> {
  const now = Date.now();
  const creations = await tx.accessToken.findMany({
    where: { accountId, formNonce: { not: null }, createdAt: { gt: new Date(now - CREATION_WINDOW) } },
    select: { createdAt: true },
    orderBy: { createdAt: "desc" },
    take: MAX_CREATIONS,
  });
  const oldest = creations[MAX_CREATIONS - 1];
  return oldest ? Math.max(1, oldest.createdAt.getTime() + CREATION_WINDOW - now) : 0;
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
