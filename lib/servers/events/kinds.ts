import { SILENCE_KINDS } from "@/lib/servers/events/silence";

/** What has to hold for a while before it is told, the worse score first. */
export const CONDITION_KINDS = ["critical", "strained", "disk_full", "clock_wrong"] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** What can happen to a server. All but silences, conditions, `unit_failed` and `two_daemons` are moments. */
const EVENT_KINDS = [
  ...SILENCE_KINDS,
  ...CONDITION_KINDS,
  "rebooted",
  "process_killed",
  "unit_failed",
  "two_daemons",
  "benchmark",
  "key_replaced",
  "settings_changed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A few facts, by name. */
export type EventFacts = Readonly<Record<string, string | number>>;
