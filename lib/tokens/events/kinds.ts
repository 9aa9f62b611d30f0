/** What can happen to a token. The first two are moments. */
export type TokenEventKind =
  | "ends_in_14_days"
  | "ends_in_3_days"
  /** From the first refusal to the last one, while there is one a day. */
  | "refused_after_end"
  | "refused_elsewhere"
  /** From its first request until the owner says that it was them, or a week is over. */
  | "new_network";

/** Of refusals: how many, and the last `ip` and `agent`. Of a new network: `network`, and the `agent` of its first request. */
export type TokenEventFacts = Readonly<{ count?: number; ip?: string; agent?: string; network?: string }>;
