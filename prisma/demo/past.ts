import { db } from "@/lib/database/client";
import { lockServer } from "@/lib/database/locks";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { type ConditionEvent, type Conditions, nextStep } from "@/lib/servers/events/conditions";
import type { EventFacts, EventKind } from "@/lib/servers/events/kinds";
import { observationsOf } from "@/lib/servers/events/observations";
import { ONLINE_WINDOW } from "@/lib/servers/events/silence";
import { rateHealth } from "@/lib/servers/health-score";
import { recordOfHours, type StabilityRecord, summariseStability } from "@/lib/servers/stability";
import { type Bands, bandsOf, merge } from "@/lib/servers/telemetry/bands";
import { rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { type HourSum, keepHours } from "@/lib/servers/telemetry/roll-ups";
import { reachOf, storeDayBefore } from "@/prisma/demo/daemons";
import { isSilentAt, type Machinery, reportAt } from "@/prisma/demo/machines";

/** How far back the longest history reaches. */
export const REACH = 31 * DAY;
/** One moment stands for half an hour: for the sixty samples that a daemon sends, and for thirty scores. */
const SAMPLED_EVERY = 30 * MINUTE;
/** Often enough for what has to hold for ten minutes. */
const RATED_EVERY = 5 * MINUTE;

/** How much one statement writes. Requests of the demo wait for it. */
const HOURS_AT_ONCE = 5 * DAY;

/**
 * Writes what a new demo leaves for later, so that its address is printed soon: the samples of a machine's last three days,
 * and the hourly sums of the month before. An interrupted demo begins again at its next start: nothing is written twice.
 * `from`: when the samples of the build ended (epoch ms).
 */
export async function writePast(server: Machinery, from: number, signal: AbortSignal): Promise<void> {
  const row = await db.server.findFirst({
    where: { account: { email: server.owner }, hostname: server.hostname },
    select: { id: true, createdAt: true },
  });
  if (!row) return;
  const createdAt = row.createdAt.getTime();
  // Charts of minutes show a day and compare it with the day before. The stability of that day looks back on a third one.
  // The hours of the third day are written, because their own stability would look back on nothing.
  const days = [from, reachOf(from), reachOf(reachOf(from))] as const;
  const end = days[2];
  // The oldest sums are written last.
  const sums = pastHours(server, createdAt, end);
  if (sums.size === 0) return;
  const oldest = Math.min(...sums.keys());
  const isWritten = await db.telemetryHour.findFirst({
    where: { serverId: row.id, hour: { lt: new Date(oldest + HOURS_AT_ONCE) }, samples: { gt: 0 } },
    select: { hour: true },
  });
  if (isWritten) return;
  for (const day of days) await storeDayBefore(server, row, day, signal);
  for (let until = end; until > oldest && !signal.aborted; until -= HOURS_AT_ONCE) {
    await keepHours(row.id, new Map([...sums].filter(([hour]) => hour < until && hour >= until - HOURS_AT_ONCE)));
  }
}

/**
 * Writes what happened to a machine in the month before `until` (epoch ms) as events, and nothing twice.
 */
export async function writePastEvents(server: Machinery, until: number): Promise<void> {
  const row = await db.server.findFirst({
    where: { account: { email: server.owner }, hostname: server.hostname },
    select: { id: true, accountId: true, createdAt: true },
  });
  if (!row) return;
  const from = Math.ceil(Math.max(row.createdAt.getTime(), until - REACH) / MINUTE) * MINUTE;
  const { events, conditions } = pastConditions(server, row.createdAt.getTime(), from, until);
  const ended = events.map(({ kind, from, to, facts }) => ({
    ...{ kind, facts, startedAt: new Date(from), endedAt: new Date(to ?? until) },
  }));
  const data = [...pastEvents(server, from, until), ...ended].map((event) => ({ serverId: row.id, ...event }));
  await db.serverEvent.createMany({ data, skipDuplicates: true });
  for (const [kind, { told }] of Object.entries(conditions)) {
    if (told !== undefined) await goOn(row, kind as keyof Conditions, new Date(told));
  }
}

/** What held of a machine for a while, as its check-ins would have told, and what they would have left. */
function pastConditions(server: Machinery, createdAt: number, from: number, until: number) {
  const events = new Map<string, ConditionEvent>();
  let conditions: Conditions | null = null;
  let heardAt: number | null = null;
  for (let at = from; at < until; at += RATED_EVERY) {
    if (isSilentAt(server, at)) continue;
    const { sample, facts } = reportAt(server, { at, previousAt: at - RATED_EVERY, createdAt });
    const pausedAt: number | null = heardAt !== null && at - heardAt > RATED_EVERY ? heardAt + ONLINE_WINDOW : null;
    const observations = observationsOf({ ...sample, ts: at }, { cores: facts.cores, lastOomAt: null });
    const step = nextStep(conditions, pausedAt, observations);
    for (const event of step.events) {
      const key = `${event.kind} ${event.from}`;
      events.set(key, { ...event, facts: { ...events.get(key)?.facts, ...event.facts } });
    }
    conditions = step.conditions;
    heardAt = at;
  }
  return { events: [...events.values()], conditions: conditions ?? {} };
}

/** Joins the event that was written for the past with the one that check-ins began since, if the condition still holds. */
async function goOn(
  { id: serverId, accountId }: { id: number; accountId: number },
  kind: keyof Conditions,
  startedAt: Date,
): Promise<void> {
  await db.$transaction(async (tx) => {
    // A check-in that has read the row before reads it again.
    await lockServer(tx, accountId, serverId);
    const { conditions } = await tx.server.findUniqueOrThrow({ where: { id: serverId }, select: { conditions: true } });
    const run = (conditions as Conditions | null)?.[kind];
    if (!run?.is) return;
    const told = startedAt.getTime();
    if (run.told !== undefined) {
      await tx.serverEvent.deleteMany({ where: { serverId, kind, startedAt: new Date(run.told) } });
    }
    await tx.serverEvent.updateMany({ where: { serverId, kind, startedAt }, data: { endedAt: null } });
    const data = { conditions: { ...(conditions as Conditions), [kind]: { is: true, since: told, told } } };
    await tx.server.update({ where: { id: serverId }, data });
  });
}

type PastEvent = { kind: EventKind; startedAt: Date; endedAt: Date; facts: EventFacts };

function pastEvents(server: Machinery, from: number, until: number): PastEvent[] {
  const { restartsEvery, outOfMemoryEvery } = server.daemon.machine;
  const events: PastEvent[] = [];
  const add = (kind: EventKind, startedAt: number, endedAt = startedAt, facts: PastEvent["facts"] = {}) =>
    events.push({ kind, startedAt: new Date(startedAt), endedAt: new Date(endedAt), facts });
  let silentSince: number | null = null;
  for (let at = from; at < until; at += MINUTE) {
    if (isSilentAt(server, at)) {
      silentSince ??= at;
      continue;
    }
    if (silentSince !== null && at - silentSince > ONLINE_WINDOW) add("offline", silentSince + ONLINE_WINDOW, at);
    silentSince = null;
    if (restartsEvery !== null && at % restartsEvery < MINUTE) add("rebooted", at);
    if (outOfMemoryEvery !== null && at % outOfMemoryEvery < MINUTE) add("process_killed", at, at, { count: 1 });
  }
  return events;
}

/** The hourly sums of a machine before `end` (epoch ms). Writing a month of samples would take minutes. */
function pastHours(server: Machinery, createdAt: number, end: number): Map<number, HourSum> {
  const first = Math.ceil(Math.max(createdAt, end - REACH) / HOUR) * HOUR;
  const sums = new Map<number, HourSum>();
  let hours: PastHour[] = [];
  let lastOomAt: number | null = null;
  for (let hour = first; hour < end; hour += HOUR) {
    const past = hourOf(server, hour);
    hours = [...hours.slice(-23), past];
    lastOomAt = past.lastOomAt ?? lastOomAt;
    const record = recordOfHours(hours, {
      last_oom_at: lastOomAt,
      failed_units: server.daemon.machine.failedUnits,
    });
    const since = Math.max(createdAt, (hours[0]?.hour ?? 0) * HOUR);
    sums.set(hour, sumOf(server, createdAt, hour, { record, since }));
  }
  return sums;
}

/** What is known of stability by an hour: the record, and when that begins. */
type Known = { record: StabilityRecord; since: number };

function sumOf(server: Machinery, createdAt: number, hour: number, { record, since }: Known): HourSum {
  let [samples, bands]: [number, Bands] = [0, {}];
  for (let at = hour; at < hour + HOUR; at += SAMPLED_EVERY) {
    const heardAt = lastHeard(server, createdAt, at);
    if (heardAt === null) continue;
    const { sample, facts } = reportAt(server, { at: heardAt, previousAt: heardAt - SAMPLED_EVERY, createdAt });
    const stability = summariseStability(record, since, at);
    const { score } = rateHealth(
      { lastSeenAt: heardAt, cores: facts.cores, sample: { ...sample, ts: heardAt }, stability },
      at,
    );
    const values = bandsOf({ score, ...(heardAt === at && rolledUpValues(sample)) });
    if (values.score) values.score.count = SAMPLED_EVERY / MINUTE;
    bands = merge(bands, values);
    if (heardAt === at) samples++;
  }
  return { samples, bands };
}

/** The last moment until `at` (epoch ms) at which the daemon was not silent; null: none since the creation. */
function lastHeard(server: Machinery, createdAt: number, at: number): number | null {
  let heardAt = at;
  while (isSilentAt(server, heardAt)) heardAt -= MINUTE;
  return heardAt < createdAt ? null : heardAt;
}

type PastHour = { hour: number; minutes: number; reboots: number; oom_kills: number; lastOomAt: number | null };

function hourOf(server: Machinery, hour: number): PastHour {
  const { silence, restartsEvery, outOfMemoryEvery } = server.daemon.machine;
  const minutes = Array.from({ length: HOUR / MINUTE }, (_, minute) => hour + minute * MINUTE);
  const turns = (every: number | null) => minutes.filter((at) => every !== null && at % every < MINUTE);
  const kills = turns(outOfMemoryEvery);
  return {
    hour: hour / HOUR,
    minutes: silence ? minutes.filter((at) => !isSilentAt(server, at)).length : minutes.length,
    reboots: turns(restartsEvery).length,
    oom_kills: kills.length,
    lastOomAt: kills.at(-1) ?? null,
  };
}
