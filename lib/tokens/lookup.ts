import { db } from "@/lib/database/client";
import { limit, type Policy } from "@/lib/rate-limit";
import { MINUTE } from "@/lib/time";
import { hashToken, isWellFormedToken } from "@/lib/tokens/format";
import { findTokens, type TokenRecord } from "@/lib/tokens/management";

/** More than anybody pastes who looks for one token, and too few to learn anything by trying. */
const LOOKUPS: Policy = { name: "token-lookup", limit: 20, windowMs: 5 * MINUTE };
/** Room for a whole Authorization header around the token. */
const MAX_PASTED = 200;
const MAX_FOUND = 10;

export type LookupResult =
  /** Those of the account that it fits: one for a whole token, perhaps several for four characters, or none. */
  | { kind: "found"; tokens: TokenRecord[] }
  /** Neither a token nor its last four characters; or a token that lost some on the way. */
  | { kind: "unclear" }
  | { kind: "throttled"; waitMs: number };

/**
 * Which token of the account somebody pasted, whole or its last four characters. What was pasted is hashed and compared,
 * and then gone: it is neither stored nor logged. A token of somebody else is as unknown as one that nobody has.
 */
export async function lookUpToken(accountId: number, pasted: string): Promise<LookupResult> {
  const decision = await limit(LOOKUPS, String(accountId));
  if (!decision.accepted) return { kind: "throttled", waitMs: Math.max(1, decision.waitMs) };
  const text = pasted.slice(0, MAX_PASTED).trim();
  const [whole] = /cpat_[0-9A-Za-z]{36}(?![0-9A-Za-z])/.exec(text) ?? [];
  if (whole && isWellFormedToken(whole)) return found(accountId, { tokenHash: hashToken(whole) });
  const [, hint] = /^(?:cpat_)?…?([0-9A-Za-z]{4})$/.exec(text) ?? [];
  return hint ? found(accountId, { hint }) : { kind: "unclear" };
}

async function found(accountId: number, where: { tokenHash: string } | { hint: string }): Promise<LookupResult> {
  const rows = await db.accessToken.findMany({
    where: { accountId, ...where },
    select: { id: true },
    orderBy: { id: "desc" },
    take: MAX_FOUND,
  });
  const ids = rows.map(({ id }) => id);
  return { kind: "found", tokens: await findTokens(accountId, ids) };
}
