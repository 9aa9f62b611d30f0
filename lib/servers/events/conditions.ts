import { MINUTE, SECOND } from "@/lib/format/time";
import type { ConditionKind, EventFacts, EventKind } from "@/lib/servers/events/kinds";
import { worstComponent } from "@/lib/servers/health-breakdown";
import { levelOf } from "@/lib/servers/health-level";
import type { Score } from "@/lib/servers/health-score";
import type { Sample } from "@/lib/servers/telemetry/measurements";

// What has to hold for a while before it is an event. Between two check-ins, `servers.follow` holds how far each has got.

/** How far the clocks of a machine and of the console may differ unnoticed: the agent corrects what goes beyond. */
const CLOCK_TOLERANCE = MINUTE;
/** A disk is full above so many percent. */
const FULL_DISK = 90;

/** How long each has to hold, or to be over, before it is told. */
const HELD_FOR: Readonly<Record<ConditionKind, number>> = {
  strained: 10 * MINUTE,
  critical: 10 * MINUTE,
  disk_full: 15 * MINUTE,
  clock_wrong: 10 * MINUTE,
  unit_failed: 0,
  two_daemons: 0,
};

/** Whether it holds at a time (epoch ms). Where nothing is observed, nothing changes. */
export type Observation = { kind: ConditionKind; at: number; is: boolean; facts: EventFacts };

/** What begins has facts; a moment ends as it begins. What ends has none, and began at `from` (epoch ms). */
export type EventChange = { kind: EventKind; from: number } & (
  | { facts: EventFacts; to: number | null }
  | { facts?: never; to: number }
);

/** `told`: when the event began that goes on. `against`: since when the opposite of what is told has been observed (epoch ms). */
export type Conditions = { [Kind in ConditionKind]?: { told?: number; against?: number } };

/** The next step. Of a pause nothing is known, so after it the waiting begins anew. */
export function nextStep(before: Conditions, hasPaused: boolean, observations: readonly Observation[]) {
  const conditions = { ...before };
  const changes: EventChange[] = [];
  for (const { kind, at, is, facts } of observations) {
    const { told, against: since = at } = before[kind] ?? {};
    Reflect.deleteProperty(conditions, kind);
    // What lies ahead was written before PostgreSQL's clock jumped back.
    const against = hasPaused ? at : Math.min(since, at);
    if (is === (told !== undefined)) {
      if (told !== undefined) conditions[kind] = { told };
    } else if (at - against < HELD_FOR[kind]) {
      conditions[kind] = { ...(told !== undefined && { told }), against };
    } else {
      if (is) conditions[kind] = { told: against };
      changes.push(
        told === undefined
          ? { kind, from: against, to: null, facts }
          : { kind, from: told, to: Math.max(told, against) },
      );
    }
  }
  return { conditions, changes };
}

/** What a newest sample, measured at `at`, says of the conditions at `now` (both epoch ms). `rated`: its score. */
export function observe(sample: Sample, { score, components }: Score, at: number, now: number): Observation[] {
  const { diskUsedPct: disk, failedUnits } = sample;
  const level = levelOf(score);
  const rated = { score, ...(level !== "healthy" && { cause: worstComponent({ components }) }) };
  const observations: Observation[] = [
    { kind: "critical", at, is: level === "critical", facts: rated },
    { kind: "strained", at, is: level !== "healthy", facts: rated },
    {
      kind: "clock_wrong",
      at: now,
      is: Math.abs(at - now) > CLOCK_TOLERANCE,
      facts: { seconds: Math.round((at - now) / SECOND) },
    },
  ];
  if (disk !== null) {
    observations.push({ kind: "disk_full", at, is: disk > FULL_DISK, facts: { percent: Math.floor(disk) } });
  }
  if (failedUnits !== null) {
    observations.push({ kind: "unit_failed", at, is: failedUnits > 0, facts: { count: failedUnits } });
  }
  return observations;
}
