import { findId } from "@/lib/http/ids";
import { MAX_ACTIVE_TOKENS, type TokenRecord } from "@/lib/tokens/management";

/** The tokens that a question is about: some by their ids, or all that are active. */
export type TokenSelection = readonly number[] | "all";

/** Reads a selection from a URL or a form. It ignores invalid ids, and ids beyond the most active tokens of an account. */
export function parseSelection(text: string): TokenSelection {
  return text === "all" ? text : text.split(",", MAX_ACTIVE_TOKENS).flatMap((part) => findId(part) ?? []);
}

/** The result of a revocation, at `now`. */
export type RevokeOutcome =
  | { kind: "revoked"; tokens: readonly TokenRecord[]; now: Date }
  | { kind: "had-ended"; token: TokenRecord; now: Date }
  /** The token does not exist, or no token was active when all were to be revoked. */
  | { kind: "nothing"; isAll: boolean };
