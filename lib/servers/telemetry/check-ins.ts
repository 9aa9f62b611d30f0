import { query } from "@/lib/database/run-statement";
import { NotFoundError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";
import { type CheckInEvents, checkInEvents, hasRestarted } from "@/lib/servers/events/check-in-events";
import { nextStep } from "@/lib/servers/events/conditions";
import { clockObservation, observationsOf } from "@/lib/servers/events/observations";
import { blindTimes } from "@/lib/servers/events/presence";
import { type EndedSilence, endedSilence, ONLINE_WINDOW, silenceAfter, withProof } from "@/lib/servers/events/silence";
import { silenceValues } from "@/lib/servers/events/silence-statements";
import type { Measurements } from "@/lib/servers/health-score";
import { toldHostname } from "@/lib/servers/names";
import { coresOf, hasCheckedIn } from "@/lib/servers/servers";
import {
  LONGEST_PAUSE,
  parseStabilityRecord,
  type StabilityRecord,
  withCheckIn,
  withCorrection,
  withUnknown,
} from "@/lib/servers/stability";
import {
  ABSORBED,
  NEIGHBOURHOOD,
  PREVIOUS,
  type Previous,
  SAMPLED,
  SEEN,
} from "@/lib/servers/telemetry/check-in-statements";
import type { ParsedReport } from "@/lib/servers/telemetry/report";
import { withDaemon } from "@/lib/servers/telemetry/two-daemons";

/** The time of a report and its origin. */
type Arrival = {
  /** The time of the measurement. It may lie back, because a daemon resends samples that it could not deliver. */
  sampledAt: Date;
  arrivedAt: Date;
  /** The random name that the daemon gave itself when it started. */
  daemon?: string;
  /** The server key it came with, and from where. */
  key?: { id: number; ip: string | null };
};

/** How far the clocks of a machine and of the console may differ unnoticed: the agent corrects what goes beyond. */
const CLOCK_TOLERANCE = MINUTE;

/** A key's use is written at most this often. */
const KEY_USE_PRECISION = MINUTE;

/** At most one sample is stored per span of this many milliseconds. Daemons usually send one every thirty seconds. */
const SAMPLE_EVERY = 10 * SECOND;

/** An attempt fails only when another check-in of the same server succeeds. */
const MAX_ATTEMPTS = 100;

/**
 * Whether a report is current, so that its facts, ip and failed services count. A sample dated after its arrival comes
 * from a clock that is ahead: it is not current, and once stored it does not outrank samples that arrive in time. All in
 * epoch milliseconds.
 */
function tellsOfNow(sampledAt: number, arrivedAt: number, newestTs: number | null): boolean {
  if (newestTs === null) return true;
  if (sampledAt > arrivedAt + CLOCK_TOLERANCE) return false;
  return sampledAt >= newestTs || (newestTs > arrivedAt && sampledAt >= arrivedAt - CLOCK_TOLERANCE);
}

/**
 * Stores a report that is checked already: the server was last seen at the arrival, its facts and ip are updated, the
 * sample is stored, and the record behind the stability component moves on; all of it or nothing. False in two cases: the
 * sample was stored before, which changes nothing, so that a daemon may resend it; or another sample of the same ten seconds is
 * stored, and only the facts, the ip and the out-of-memory kills of this report count.
 * @throws NotFoundError for an unknown server.
 */
export async function storeCheckIn(serverId: number, report: ParsedReport, arrival: Arrival): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const previous = await findPrevious(serverId, arrival);
    if (!previous) throw new NotFoundError();
    const change = changeOf(serverId, previous, report, arrival);
    const outcome = await write(change, previous, report, arrival);
    if (!outcome?.wasSame) continue;
    return outcome.wasNew && !change.isThinned;
  }
  throw new Error(`Server ${serverId} never stayed as it was between reading and writing.`);
}

/** What is known of the server, and of its samples around this one. */
async function findPrevious(serverId: number, { sampledAt, arrivedAt }: Arrival): Promise<Previous | undefined> {
  const from = Math.floor(sampledAt.getTime() / SAMPLE_EVERY) * SAMPLE_EVERY;
  const [previous] = await query(PREVIOUS, {
    sampledAt,
    id: serverId,
    since: new Date(sampledAt.getTime() - NEIGHBOURHOOD),
    until: new Date(sampledAt.getTime() + NEIGHBOURHOOD),
    spanFrom: new Date(from),
    spanTo: new Date(from + SAMPLE_EVERY),
    silentBefore: new Date(arrivedAt.getTime() - ONLINE_WINDOW),
    provesFrom: isLate(sampledAt, arrivedAt) ? sampledAt : null,
    provesUntil: isLate(sampledAt, arrivedAt) ? new Date(sampledAt.getTime() + ONLINE_WINDOW) : null,
  });
  return previous;
}

type Change = ReturnType<typeof changeOf>;

/** What a check-in changes. `isThinned`: another sample of its ten seconds is stored; `absorbed`: the kills that it adds. */
function changeOf(
  serverId: number,
  previous: Previous,
  { facts, publicIp, sample }: ParsedReport,
  { sampledAt, arrivedAt, daemon, key }: Arrival,
) {
  // A late report does not change the present: facts, ip and failed units.
  const isNewest = tellsOfNow(sampledAt.getTime(), arrivedAt.getTime(), previous.newestTs);
  const isThinned = sample !== undefined && previous.storedTs !== null && previous.storedTs !== sampledAt.getTime();
  const record = parseStabilityRecord(previous.stability);
  const absorbed = isThinned ? absorbedKills(record, sampledAt.getTime(), sample.oomKills) : 0;
  const restarts = restartsBy(sample, previous);
  const silence = silenceBefore(previous, arrivedAt.getTime());
  const ended = silence
    ? endedSilence(silence, blindTimes(previous.blind, previous.presentUntil, arrivedAt.getTime()))
    : [];
  // Past scores are computed from the stored samples and the silences, so nothing else changes the record either.
  const heard = isThinned
    ? withAbsorbed(record, sampledAt.getTime(), previous.storedTs ?? 0, absorbed)
    : withCheckIn(withCorrection(record, previous.sampledAfter ?? 0, restarts.after), sampledAt.getTime(), {
        restarts: restarts.here,
        oomKills: sample?.oomKills ?? 0,
        failedUnits: isNewest ? (sample?.failedUnits ?? null) : null,
      });
  const stability = ended.filter(({ kind }) => kind === "unknown").reduce(withUnknown, heard);
  const rated = sample && !isThinned ? { ...sample, ts: sampledAt.getTime() } : null;
  const { conditions, events } = conditionsAfter(previous, silence, rated, { isNewest, facts, stability, arrivedAt });
  const daemons = withDaemon(previous, daemon, arrivedAt);
  const told = checkInEvents({
    sampledAt: sampledAt.getTime(),
    arrivedAt: arrivedAt.getTime(),
    isNewest: previous.newestTs === null || sampledAt.getTime() > previous.newestTs,
    restarts: restarts.here,
    uptimeS: sample?.uptimeS ?? null,
    kills: isThinned
      ? { at: previous.storedTs ?? 0, count: absorbed }
      : { at: sampledAt.getTime(), count: sample?.oomKills ?? 0 },
    failedUnits: { before: record.failed_units, after: stability.failed_units },
    twoDaemonsAt: { before: previous.twoDaemonsAt, after: daemons.twoDaemonsAt?.getTime() ?? null },
    conditions: events,
  });
  const values = {
    id: serverId,
    lastSeenBefore: new Date(previous.lastSeenAt),
    stateMd5: previous.stateMd5,
    keyId: key?.id ?? null,
    keyIp: key?.ip ?? null,
    keyUsedAt: arrivedAt,
    keyNotSince: new Date(arrivedAt.getTime() - KEY_USE_PRECISION),
    lastSeenAt: latest(arrivedAt, previous),
    // A clock that is ahead has heard nothing yet.
    heardAt: new Date(Math.min(sampledAt.getTime(), arrivedAt.getTime())),
    stability: JSON.stringify(stability),
    conditions: conditions && JSON.stringify(conditions),
    facts: isNewest && facts ? JSON.stringify(facts) : null,
    hasNewIp: isNewest && publicIp !== undefined,
    publicIp: publicIp ?? null,
    hostname: toldHostname(facts?.hostname),
    ...daemons,
    ...eventsOf(previous, ended, sampledAt, arrivedAt, told),
  };
  return { values, isThinned, absorbed };
}

async function write(
  { values, isThinned, absorbed }: Change,
  previous: Previous,
  { facts, sample }: ParsedReport,
  { sampledAt, arrivedAt }: Arrival,
) {
  const [outcome] =
    sample && !isThinned
      ? await query(SAMPLED, {
          ...values,
          ...sample,
          ts: sampledAt,
          arrivedAt: isLate(sampledAt, arrivedAt) ? arrivedAt : null,
          coresThen: facts?.cores ?? null,
        })
      : absorbed > 0
        ? await query(ABSORBED, { ...values, ts: new Date(previous.storedTs ?? 0), kills: absorbed })
        : await query(SEEN, values);
  return outcome;
}

/** The silence that a check-in ends. */
function silenceBefore({ lastSeenAt, createdAt, newestTs }: Previous, arrivedAt: number): Pause | null {
  const isKnown = hasCheckedIn({ latestSampleAt: newestTs, lastSeenAt, createdAt });
  return isKnown ? silenceAfter(lastSeenAt, arrivedAt) : null;
}
type Pause = NonNullable<ReturnType<typeof silenceAfter>>;

type Arrived = { isNewest: boolean; facts: ParsedReport["facts"]; stability: StabilityRecord; arrivedAt: Date };

/**
 * What holds of a server after this sample (null: it has none that counts), and what that begins or ends. A sample that is not
 * current says nothing, and one whose time is not that of its arrival says something of the clock alone.
 */
function conditionsAfter(
  { conditions, newestTs, cores }: Previous,
  silence: Pause | null,
  sample: Measurements | null,
  { isNewest, facts, stability, arrivedAt }: Arrived,
) {
  const isPaused = sample !== null && newestTs !== null && sample.ts - newestTs > LONGEST_PAUSE;
  const pausedAt = silence ? silence.from : isPaused ? newestTs + ONLINE_WINDOW : null;
  if (!sample || (!isNewest && newestTs !== null && sample.ts <= newestTs)) return nextStep(conditions, pausedAt, []);
  const clock = clockObservation(sample.ts, arrivedAt.getTime(), CLOCK_TOLERANCE);
  const rated = { cores: coresOf(facts?.cores ?? cores), lastOomAt: stability.last_oom_at };
  // A sample is measured before it arrives, but until then the server was silent.
  const ts = Math.max(sample.ts, silence?.to ?? sample.ts);
  return nextStep(conditions, pausedAt, clock.is ? [clock] : [clock, ...observationsOf({ ...sample, ts }, rated)]);
}

/**
 * The events of a check-in: it ends a silence that goes on, a late sample proves that the machine ran, and what it tells
 * besides.
 */
function eventsOf(
  { lastSeenAt, silences }: Previous,
  ended: readonly EndedSilence[],
  sampledAt: Date,
  arrivedAt: Date,
  told: CheckInEvents,
) {
  if (!isLate(sampledAt, arrivedAt)) return silenceValues([], ended, told);
  // Events of the silence that ends now may be stored already, and are written anew.
  const before = (silences ?? [])
    .map(([kind, from, to]) => ({ kind, from, to }))
    .filter(({ from }) => from <= lastSeenAt);
  return silenceValues(before, withProof([...before, ...ended], sampledAt.getTime()), told);
}

/** Whether a page may have shown a score without the sample, for longer than a request takes. */
function isLate(sampledAt: Date, arrivedAt: Date): boolean {
  return arrivedAt.getTime() - sampledAt.getTime() > CLOCK_TOLERANCE;
}

/** The kills that a thinned sample adds to the stored one. 0 when it was sent before. */
function absorbedKills(record: StabilityRecord, sampledAt: number, kills: number | null): number {
  return record.absorbed_at === sampledAt ? 0 : (kills ?? 0);
}

function withAbsorbed(record: StabilityRecord, sampledAt: number, storedTs: number, oomKills: number): StabilityRecord {
  if (oomKills === 0) return record;
  return {
    ...withCheckIn(record, storedTs, { restarts: 0, oomKills, failedUnits: null }),
    absorbed_at: sampledAt,
  };
}

/** The new `lastSeenAt`. It never moves back, and never equals the time of creation, which means no check-in yet. */
function latest(now: Date, { lastSeenAt, createdAt }: Previous): Date {
  return new Date(Math.max(now.getTime(), lastSeenAt, createdAt + 1));
}

/** The restarts that a sample shows since the one before it, and what it changes in those up to the next one. */
function restartsBy(sample: { uptimeS: number | null } | undefined, { uptimeBefore, uptimeAfter }: Previous) {
  if (!sample) return { here: 0, after: 0 };
  const restarted = (from: number | null, to: number | null) => Number(hasRestarted(from, to));
  const after = restarted(sample.uptimeS, uptimeAfter) - restarted(uptimeBefore, uptimeAfter);
  return { here: restarted(uptimeBefore, sample.uptimeS), after };
}
