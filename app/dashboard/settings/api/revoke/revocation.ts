/** The tokens that a question is about: some by their ids, or all that are active. */
export type TokenSelection = readonly number[] | "all";

/** What the question says about a token. */
export type QuestionedToken = {
  id: number;
  name: string;
  hint: string;
  lastUsedAt: Date | null;
  lastUsedIp: string | null;
  program: string | null;
};

/** The steps that a form or a URL can name. */
export type Step = { revoked: readonly number[] } | { unchanged: TokenSelection };

export type Named = { name: string; hint: string };

/** The result of a revocation. */
export type RevokeOutcome =
  /** All tokens were revoked at the same instant. */
  | { kind: "revoked"; tokens: readonly Named[]; at: number; now: number }
  | { kind: "had-ended"; token: Named; state: "revoked" | "expired"; at: number; now: number }
  /** The token does not exist, or no token was active when all were to be revoked. */
  | { kind: "nothing"; isAll: boolean };
