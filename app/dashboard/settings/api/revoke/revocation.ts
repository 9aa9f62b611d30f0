import { findId } from "@/lib/http/ids";
import { MAX_ACTIVE_TOKENS, type TokenRecord } from "@/lib/tokens/management";
import type { AnsweredToken } from "../answered-token";
import { programName } from "../list/program-name";

/** The tokens that a question is about: some by their ids, or all that are active. */
export type TokenSelection = readonly number[] | "all";

/** Reads a selection from a URL or a form. It ignores invalid ids, and ids beyond the most active tokens of an account. */
export function parseSelection(text: string): TokenSelection {
  return text === "all" ? text : text.split(",", MAX_ACTIVE_TOKENS).flatMap((part) => findId(part) ?? []);
}

/** What the question before revoking says about a token. */
export type QuestionedToken = ReturnType<typeof questionedToken>;

export function questionedToken({ id, name, hint, lastUsedAt, lastUsedIp, lastUsedAgent }: TokenRecord) {
  return { id, name, hint, lastUsedAt, lastUsedIp, program: programName(lastUsedAgent) };
}

/** The result of a revocation, at `now` (epoch ms). */
export type RevokeOutcome =
  | { kind: "revoked"; tokens: readonly AnsweredToken[]; now: number }
  | { kind: "had-ended"; token: AnsweredToken; now: number }
  /** The token does not exist, or no token was active when all were to be revoked. */
  | { kind: "nothing"; isAll: boolean };
