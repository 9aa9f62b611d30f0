import { db, type Prisma } from "@/lib/database/client";
import { lockServer } from "@/lib/database/locks";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { type Conditions, type EventChange, nextStep, observe } from "@/lib/servers/events/conditions";
import { ONLINE_WINDOW } from "@/lib/servers/events/events";
import type { EventFacts, EventKind } from "@/lib/servers/events/kinds";
import { presentScore, rateSample } from "@/lib/servers/health-score";
import { minutesBetween, setFirstSeen, storePast } from "@/prisma/demo/daemons";
import { isSilentAt, type Machinery, reportAt } from "@/prisma/demo/machines";

/** How far back the longest history reaches. */
const REACH = 31 * DAY;
/** Charts of samples show two days, and compare them with those before. */
const EACH_MINUTE = 2 * DAY;
/** Before that, one moment stands for half an hour. */
const SAMPLED_EVERY = 30 * MINUTE;
/** Often enough for what has to hold for ten minutes. */
const RATED_EVERY = 5 * MINUTE;

async function findServer({ owner, hostname }: Machinery) {
  return db.server.findFirst({
    where: { account: { email: owner }, hostname },
    select: { id: true, accountId: true, createdAt: true },
  });
}

/**
 * Writes what a new demo leaves for later, so that its address is printed soon: the samples of a machine's last two days, and
 * those of the month before. An interrupted demo begins again at its next start: nothing is written twice.
 * `from`: when the samples of the build began (epoch ms).
 */
export async function writePast(server: Machinery, from: number, signal: AbortSignal): Promise<void> {
  const row = await findServer(server);
  if (!row) return;
  const createdAt = row.createdAt.getTime();
  const oldest = Math.ceil(Math.max(createdAt, from - REACH) / HOUR) * HOUR;
  // The oldest are written last.
  const isWritten = await db.telemetryHour.count({
    where: { serverId: row.id, hour: { lte: new Date(oldest + HOUR) } },
  });
  if (isWritten > 0) return;
  const recent = Math.max(oldest, from - EACH_MINUTE);
  const isHeard = (at: number) => !isSilentAt(server, at);
  const of = { id: row.id, createdAt };
  await storePast(server, of, minutesBetween(recent, from).filter(isHeard), signal);
  await storePast(server, of, minutesBetween(oldest, recent, SAMPLED_EVERY).filter(isHeard), signal);
  await setFirstSeen(row.id, new Date(oldest));
}

/** Writes what happened to a machine in the month before `until` (epoch ms) as events, and nothing twice. */
export async function writePastEvents(server: Machinery, until: number): Promise<void> {
  const row = await findServer(server);
  if (!row) return;
  const createdAt = row.createdAt.getTime();
  const from = Math.ceil(Math.max(createdAt, until - REACH) / MINUTE) * MINUTE;
  const { events, conditions } = pastConditions(server, createdAt, from, until);
  const subject = { subject: "server", subjectId: row.id };
  const data = [...pastEvents(server, from, until), ...events].map((event) => ({
    ...subject,
    ...{ accountId: row.accountId, noticeDue: false, ...event },
  }));
  await db.$transaction(async (tx) => {
    // Before any check-in that would begin the same again.
    await lockServer(tx, row.accountId, row.id);
    const { count } = await tx.event.createMany({
      data: data satisfies Prisma.EventCreateManyInput[],
      skipDuplicates: true,
    });
    if (count === 0) return;
    const { follow } = await tx.server.findUniqueOrThrow({ where: { id: row.id }, select: { follow: true } });
    const known = (follow as { conditions?: Conditions }).conditions ?? {};
    for (const [kind, run] of Object.entries(conditions)) {
      const began = known[kind as keyof Conditions]?.told;
      if (run?.told === undefined || began === undefined) continue;
      await tx.event.deleteMany({ where: { ...subject, kind, startedAt: new Date(began) } });
    }
    const joined = { ...(follow as object), conditions: { ...known, ...conditions } };
    await tx.server.update({ where: { id: row.id }, data: { follow: joined }, select: { id: true } });
  });
}

type PastEvent = { kind: EventKind; startedAt: Date; endedAt: Date | null; facts: EventFacts };

/** What held of a machine for a while, as its check-ins would have told, and what still holds. */
function pastConditions(server: Machinery, createdAt: number, from: number, until: number) {
  const events = new Map<string, PastEvent>();
  let conditions: Conditions = {};
  let heardAt: number | null = null;
  for (let at = from; at < until; at += RATED_EVERY) {
    if (isSilentAt(server, at)) continue;
    const { sample, facts } = reportAt(server, { at, previousAt: at - RATED_EVERY, createdAt });
    const calm = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: sample.failedUnits ?? 0, lastOomAt: null };
    const rated = rateSample({ ...sample, ts: at }, facts.cores, calm);
    const present = presentScore({ rated, sampledAt: at, lastSeenAt: at }, at);
    const hasPaused: boolean = heardAt !== null && at - heardAt > RATED_EVERY;
    const step = nextStep(conditions, hasPaused, observe(sample, present, at, at));
    for (const change of step.changes) note(events, change);
    conditions = step.conditions;
    heardAt = at;
  }
  return { events: [...events.values()], conditions };
}

function note(events: Map<string, PastEvent>, { kind, from, to, facts }: EventChange): void {
  const known = events.get(`${kind} ${from}`);
  const endedAt = to === null ? null : new Date(to);
  events.set(`${kind} ${from}`, { kind, startedAt: new Date(from), endedAt, facts: facts ?? known?.facts ?? {} });
}

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
