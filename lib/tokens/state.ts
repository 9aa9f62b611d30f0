import type { Prisma } from "@/lib/database/client";
import type { Plain } from "@/lib/database/statement";
import type { AccessToken } from "@/lib/generated/prisma/client";

export type TokenState = "active" | "expired" | "revoked";

type Ends = Pick<AccessToken, "revokedAt" | "expiresAt">;

/**
 * Whether a token works at `now`, and if not, why. It ignores whether the account is disabled. Instants may be dates, or
 * epoch milliseconds from raw SQL.
 */
export function tokenState(token: Ends | { [Name in keyof Ends]: Plain<Ends[Name]> }, now: Date | number): TokenState {
  if (token.revokedAt !== null) return "revoked";
  return token.expiresAt !== null && token.expiresAt <= now ? "expired" : "active";
}

/** The same rule for the database: what `tokenState` calls active. */
export function activeAt(now: Date): Prisma.AccessTokenWhereInput {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
