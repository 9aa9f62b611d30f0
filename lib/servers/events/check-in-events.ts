import { SECOND } from "@/lib/format/time";
import type { ConditionEvent } from "@/lib/servers/events/conditions";
import type { EventFacts, EventKind } from "@/lib/servers/events/kinds";
import { NEWS_FOR } from "@/lib/servers/telemetry/two-daemons";

/** What a sample says about its machine. Times in epoch milliseconds. */
type Facts = {
  sampledAt: number;
  arrivedAt: number;
  /** Of all samples of the server it is the newest. */
  isNewest: boolean;
  restarts: number;
  uptimeS: number | null;
  /** Processes that were killed for lack of memory, and the sample that stands for their time. */
  kills: { at: number; count: number };
  failedUnits: { before: number; after: number };
  twoDaemonsAt: { before: number | null; after: number | null };
  /** What began to hold, or no longer holds. */
  conditions: readonly ConditionEvent[];
};

export type CheckInEvents = {
  events: { kind: EventKind; from: number; to: number | null; facts: EventFacts }[];
  /** Since when no service has failed any more; null: that did not change. */
  unitsWorkSince: number | null;
};

/** The events that a sample causes, besides those of a silence. Each is dated to when it happened. */
export function checkInEvents(facts: Facts): CheckInEvents {
  const { sampledAt, arrivedAt, isNewest, restarts, uptimeS, kills, failedUnits, twoDaemonsAt, conditions } = facts;
  const events: CheckInEvents["events"] = [...conditions];
  const moment = (kind: EventKind, at: number, facts: EventFacts = {}) =>
    events.push({ kind, from: at, to: at, facts });
  // An older sample that arrives late lies between two that have reported the restart already.
  if (isNewest && restarts > 0 && uptimeS !== null) moment("rebooted", Math.round(sampledAt - uptimeS * SECOND));
  if (kills.count > 0) moment("process_killed", kills.at, { count: kills.count });
  if (failedUnits.before === 0 && failedUnits.after > 0) {
    events.push({ kind: "unit_failed", from: sampledAt, to: null, facts: { count: failedUnits.after } });
  }
  const { before, after } = twoDaemonsAt;
  if (after !== null && after !== before && (before === null || after - before > NEWS_FOR)) {
    events.push({ kind: "two_daemons", from: arrivedAt, to: null, facts: {} });
  }
  return { events, unitsWorkSince: failedUnits.before > 0 && failedUnits.after === 0 ? sampledAt : null };
}

/** The machine has been up for less time than it had been at the sample before. */
export function hasRestarted(uptimeBefore: number | null, uptimeS: number | null): boolean {
  return uptimeBefore !== null && uptimeS !== null && uptimeS < uptimeBefore;
}
