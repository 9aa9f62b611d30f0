import { SILENCE_KINDS } from "@/lib/servers/events/silence";

/** What can happen to a server. All but silences, `unit_failed` and `two_daemons` are moments. */
export const EVENT_KINDS = [
  ...SILENCE_KINDS,
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
