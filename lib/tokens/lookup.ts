import { MINUTE } from "@/lib/format/time";
import { limit, type Policy } from "@/lib/rate-limit";
import { hashToken, isWellFormedToken } from "@/lib/tokens/format";
import { findTokens, type TokenRecord } from "@/lib/tokens/management";

/** Enough for a person who looks for a token, and too few to guess one. */
const LOOKUPS: Policy = { name: "token-lookup", limit: 20, windowMs: 5 * MINUTE };
/** Room for a whole Authorization header around the token. */
const MAX_PASTED = 200;
const MAX_FOUND = 10;

type LookupResult =
  /** Matching tokens of the account. Four characters may match several tokens, and any text may match none. */
  | { kind: "found"; tokens: TokenRecord[] }
  /** The text is neither a token nor four characters, or the token is incomplete. */
  | { kind: "unclear" }
  | { kind: "throttled"; waitMs: number };

/**
 * Finds tokens of the account by a whole token or by its last four characters. The pasted text is only compared, never
 * stored or logged. Tokens of other accounts are not found, so that the answer does not reveal that they exist.
 */
export async function lookUpToken(accountId: number, pasted: string): Promise<LookupResult> {
  const decision = await limit(LOOKUPS, String(accountId));
  if (!decision.accepted) return { kind: "throttled", waitMs: Math.max(1, decision.waitMs) };
  const text = pasted.slice(0, MAX_PASTED).trim();
  const [whole] = /cpat_[0-9A-Za-z]{36}(?![0-9A-Za-z])/.exec(text) ?? [];
  const [, hint] = /^(?:cpat_)?…?([0-9A-Za-z]{4})$/.exec(text) ?? [];
  const where = whole && isWellFormedToken(whole) ? { tokenHash: hashToken(whole) } : hint ? { hint } : null;
  if (where === null) return { kind: "unclear" };
  return { kind: "found", tokens: await findTokens(accountId, where, MAX_FOUND) };
}
