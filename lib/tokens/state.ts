import type { Prisma } from "@/lib/database/client";
import type { Plain } from "@/lib/database/statement";
import type { AccessToken } from "@/lib/generated/prisma/client";
import { isInside } from "./networks";

type TokenState = "active" | "expired" | "revoked";

type Ends = Pick<AccessToken, "revokedAt" | "expiresAt">;
type Restricted = Ends & Pick<AccessToken, "networks">;
type Row<Of> = Of | { [Name in keyof Of]: Plain<Of[Name]> };

/**
 * Whether a token works at `now`, and if not, why. It ignores whether the account is disabled. Instants may be dates, or
 * epoch milliseconds from raw SQL. With `from`, whether it works for a request from that ip: a token that has networks is
 * "elsewhere" outside of them, and so is an unknown ip.
 */
export function tokenState(token: Row<Ends>, now: Date | number): TokenState;
export function tokenState(
  token: Row<Restricted>,
  now: Date | number,
  from: { ip: string | null },
): TokenState | "elsewhere";
export function tokenState(
  token: Row<Ends> & { networks?: readonly string[] },
  now: Date | number,
  from?: { ip: string | null },
): TokenState | "elsewhere" {
  const networks = token.networks ?? [];
  // Computed first, so that the time of a 401 does not tell an ended token from one of other networks.
  const isElsewhere = from !== undefined && networks.length > 0 && !isInside(networks, from.ip);
  if (token.revokedAt !== null) return "revoked";
  if (token.expiresAt !== null && token.expiresAt <= now) return "expired";
  return isElsewhere ? "elsewhere" : "active";
}

/** The same rule for the database: what `tokenState` calls active without an ip. */
export function activeAt(now: Date): Prisma.AccessTokenWhereInput {
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
