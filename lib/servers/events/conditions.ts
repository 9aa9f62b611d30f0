import { MINUTE } from "@/lib/format/time";
import { CONDITION_KINDS, type ConditionKind, type EventFacts, type EventKind } from "@/lib/servers/events/kinds";

// What holds for a while before it is an event: a bad score, a full disk, a wrong clock. Check-ins, and the watch for samples of
// other writers, take the same steps, one for each sample; what is between two steps stands in the server's row.

/**
 * What is followed from sample to sample: conditions, which are told as events, and whether a server is not rated well
 * (`isRatedWell`), which pages alone ask: a component may be at its worst while the score is healthy.
 */
const FOLLOWED = [...CONDITION_KINDS, "unwell"] as const;
type Followed = (typeof FOLLOWED)[number];

/** A server was well when it was rated well for so long without a break. */
export const WELL_FOR = 10 * MINUTE;
/** How long each has to hold, or to be over, before it is told. */
const HELD_FOR: Readonly<Record<Followed, number>> = {
  strained: 10 * MINUTE,
  critical: 10 * MINUTE,
  disk_full: 15 * MINUTE,
  clock_wrong: 10 * MINUTE,
  unwell: WELL_FOR,
};

/** Silence ends these, because the score is unknown then. A full disk or a wrong clock goes on. */
export const ENDED_BY_SILENCE = ["strained", "critical"] as const;

/** Whether it holds, and since when (epoch ms). `told`: when the event began that goes on. */
type Run = { is: boolean; since: number; told?: number };
/** What `servers.conditions` holds; null: nothing holds, and nothing is told. */
export type Conditions = { readonly [Kind in Followed]?: Run };

/** What a sample says about a condition, at `at` (epoch ms). `strained` is a score that is not healthy, a critical one included. */
export type Observation = { kind: Followed; at: number; is: boolean; facts: EventFacts };

/** A begun event, or the end of an earlier one, whose facts then stay as they are stored. */
export type ConditionEvent = { kind: ConditionKind; from: number; to: number | null; facts: EventFacts };
type Step = { conditions: Conditions | null; events: ConditionEvent[] };

/** The next step: after a pause that began at `pausedAt` (epoch ms; null: there was none), these observations were made. */
export function nextStep(
  before: Conditions | null,
  pausedAt: number | null,
  observations: readonly Observation[],
): Step {
  const runs: { [Kind in Followed]?: Run } = { ...before };
  const events: ConditionEvent[] = [];
  const tell = (kind: Followed, event: Omit<ConditionEvent, "kind">) => {
    if (kind !== "unwell") events.push({ kind, ...event });
  };
  const begin = (kind: Followed, run: Run, facts: EventFacts) => {
    runs[kind] = { ...run, told: run.since };
    tell(kind, { from: run.since, to: null, facts });
  };
  const end = (kind: Followed, to: number, after?: Run) => {
    const from = runs[kind]?.told;
    if (from !== undefined) tell(kind, { from, to: Math.max(from, to), facts: {} });
    if (after?.is) runs[kind] = { is: true, since: after.since };
    else delete runs[kind];
  };
  if (pausedAt !== null) {
    for (const kind of FOLLOWED) {
      const told = runs[kind]?.told;
      if (told !== undefined && !isEndedBySilence(kind)) runs[kind] = { is: true, since: told, told };
      else end(kind, pausedAt);
    }
  }
  // The worse one first: a critical server is not reported as strained as well.
  for (const kind of FOLLOWED) {
    const observation = observations.find((one) => one.kind === kind);
    if (!observation) continue;
    const { at, is, facts } = observation;
    const known = runs[kind];
    if (known && at < known.since) continue;
    const run: Run = known?.is === is ? known : { ...known, is, since: at };
    if (!is && run.told === undefined) {
      delete runs[kind];
      continue;
    }
    runs[kind] = run;
    if (at - run.since < HELD_FOR[kind]) continue;
    if (!is) {
      end(kind, run.since);
      // The strained part of a critical time is in its event already.
      const { strained } = runs;
      if (kind === "critical" && strained) runs.strained = { ...strained, since: Math.max(strained.since, run.since) };
    } else if (run.told === undefined && !(kind === "strained" && runs.critical?.told !== undefined)) {
      if (kind === "critical") end("strained", run.since, runs.strained);
      begin(kind, run, facts);
    }
  }
  return { conditions: Object.keys(runs).length > 0 ? runs : null, events };
}

/** Whether a silence ends an event of this kind. */
export function isEndedBySilence(kind: EventKind | Followed): boolean {
  return (ENDED_BY_SILENCE as readonly string[]).includes(kind);
}
