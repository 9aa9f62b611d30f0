/** What has to hold for a while before it is told, the worse score first. */
export const CONDITION_KINDS = [
  "critical",
  "strained",
  "disk_full",
  "clock_wrong",
  "unit_failed",
  "two_daemons",
] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** What can happen to a server. What is neither `offline` nor a condition is a moment. */
export type EventKind =
  | "offline"
  | ConditionKind
  | "rebooted"
  | "process_killed"
  | "benchmark"
  | "key_replaced"
  | "settings_changed";

/** A few facts, by name. */
export type EventFacts = Readonly<Record<string, string | number>>;
