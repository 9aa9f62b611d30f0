import type { Prisma } from "@/lib/database/client";
import type { AccessToken } from "@/lib/generated/prisma/client";

export type TokenState = "active" | "expired" | "revoked";

/** Whether a token works at `now`, and if not, why. A disabled account is not looked at here. */
export function tokenState(token: Pick<AccessToken, "revokedAt" | "expiresAt">, now: Date): TokenState {
  if (token.revokedAt) return "revoked";
  return token.expiresAt && token.expiresAt <= now ? "expired" : "active";
}

/** The same rule for the database: what `tokenState` calls active. */
export function activeAt(now: Date): Prisma.AccessTokenWhereInput {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
