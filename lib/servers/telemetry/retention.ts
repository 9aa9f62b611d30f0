import { BEFORE, deleteOfOwner, deletion, deletionOfOwner, type GoesOn } from "@/lib/database/deletion";
import { deletionOutsideDays, dropDaysBefore } from "@/lib/database/partitions";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, SECOND, startOfHour } from "@/lib/format/time";
import { logFault } from "@/lib/process/faults.mjs";
import { type RatedServer, toRatedServer } from "@/lib/servers/telemetry/past-scores";
import { rollUp } from "@/lib/servers/telemetry/roll-ups";

/** The number of servers that one statement checks. */
const PAGE = 100;
/** Attempts per server when its check-ins interfere. */
const ATTEMPTS = 10;
/** The samples of hours that cannot be summed up are deleted after this many extra days. */
export const DAYS_OF_GRACE = 2;

const s = table("Server", "s");
const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");

/** The first sample of a server with `since <= ts < until`; its index says which, in each of the old days. */
const first = (serverId: string, since: string, until: string) =>
  `(select min(${t.ts}) from ${t} where ${t.serverId} = ${serverId} and ${t.ts} >= ${since} and ${t.ts} < ${until})`;

// Raw, because each server is looked up by the index of the old days alone.
const WITH_OLD_SAMPLES = statement({ after: s.id, since: t.ts, until: t.ts }, ({ after, since, until }) =>
  select(
    {
      id: s.id,
      createdAt: s.createdAt,
      firstSeenAt: s.firstSeenAt,
      facts: s.facts,
      first: new Expression<Date | null>(first(s.id.sql, since, until), "instant"),
    },
    `from ${s} where ${s.id} > ${after} order by ${s.id} limit ${PAGE}`,
  ),
);
const NEXT_SAMPLE = statement({ id: t.serverId, since: t.ts, until: t.ts }, ({ id, since, until }) =>
  select({ first: new Expression<Date | null>(first(id, since, until), "instant") }),
);

/** Samples outside the daily partitions. A late sample stays until its hour is summed up again. */
const deleteRest = deletionOutsideDays("telemetry_samples", (partition) =>
  deletion(
    s,
    BEFORE,
    `delete from ${partition}`,
    (before) => `select t.ctid from ${partition} t where ${t.serverId} = ${s.id} and ${t.ts} < ${before}
    and (${t.ts} < ${before} - interval '${DAYS_OF_GRACE} days' or exists (select from ${h}
      where ${h.serverId} = ${s.id} and ${h.hour} = date_trunc('hour', ${t.ts}, 'UTC') and not ${h.stale}))`,
  ),
);

const deleteHours = deletion(
  s,
  BEFORE,
  "delete from telemetry_hours",
  (before) => `select h.ctid from ${h} where ${h.serverId} = ${s.id} and ${h.hour} < ${before}`,
);

/**
 * Deletes the samples of all days (UTC) that ended more than `days` days before `now` (epoch ms). Their hourly sums stay.
 * If some hours could not be summed up, their samples stay for another `DAYS_OF_GRACE` at most.
 */
export async function retireSamples(
  now: number,
  { telemetryDays, hoursDays }: { telemetryDays: number; hoursDays: number },
  goesOn: GoesOn,
): Promise<{ sample_days: number; samples: number; unsummed: number }> {
  const until = firstKeptDay(now, telemetryDays);
  const unsummed = await sumUpBetween(startOfHour(now - hoursDays * DAY), until, goesOn);
  // If the sweep was stopped, some hours are not summed up yet. Their samples wait for the next sweep.
  const end = unsummed === 0 && (await goesOn()) ? until : until - DAYS_OF_GRACE * DAY;
  return {
    sample_days: await dropDaysBefore("telemetry_samples", end, goesOn),
    samples: await deleteRest(new Date(until), goesOn),
    unsummed,
  };
}

function firstKeptDay(now: number, telemetryDays: number): number {
  return Math.floor(now / DAY) * DAY - telemetryDays * DAY;
}

/**
 * How late old samples are deleted, in milliseconds: how long before `now` the oldest of the `days` with samples (epoch ms)
 * should have gone. 0 after a sweep that could sum up everything.
 */
export function rollUpLag(days: readonly number[], now: number, telemetryDays: number): number {
  return Math.max(0, firstKeptDay(now, telemetryDays) - Math.min(...days));
}

/** Sums up the hours of these times (epoch ms) in which servers have samples. Answers for how many servers it failed. */
async function sumUpBetween(since: number, until: number, goesOn: GoesOn): Promise<number> {
  let unsummed = 0;
  for (let after = 0; ; ) {
    const servers = await query(WITH_OLD_SAMPLES, { after, since: new Date(since), until: new Date(until) });
    for (const { first, ...server } of servers) {
      if (!(await goesOn())) return unsummed + 1;
      if (first === null) continue;
      const rated = toRatedServer({
        ...server,
        createdAt: new Date(server.createdAt),
        firstSeenAt: server.firstSeenAt === null ? null : new Date(server.firstSeenAt),
      });
      if (!(await sumUp(rated, first, until, goesOn))) unsummed++;
    }
    const last = servers.at(-1);
    if (!last) return unsummed;
    after = last.id;
  }
}

/** Day by day from the first sample on, so that years without samples cost nothing. False when it was not possible. */
async function sumUp(server: RatedServer, first: number, until: number, goesOn: GoesOn): Promise<boolean> {
  try {
    for (let sample: number | null = first; sample !== null; ) {
      const end = Math.min(until, startOfHour(sample) + DAY);
      if (!(await sumUpDay(server, startOfHour(sample), end, goesOn))) return false;
      sample = await findFirstSample(server.id, end, until);
    }
    return true;
  } catch (error) {
    logFault("summing up failed", error, { serverId: server.id });
    return false;
  }
}

async function sumUpDay(server: RatedServer, from: number, to: number, goesOn: GoesOn): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS && (await goesOn()); attempt++) {
    if (await rollUp(server, from, to, Date.now() + SECOND)) return true;
  }
  return false;
}

async function findFirstSample(id: number, since: number, until: number): Promise<number | null> {
  const [row] = await query(NEXT_SAMPLE, { id, since: new Date(since), until: new Date(until) });
  return row?.first ?? null;
}

/** Deletes sums of hours older than so many days at `now` (epoch ms). Answers how many. */
export function deleteOldHours(now: number, days: number, goesOn: GoesOn): Promise<number> {
  return deleteHours(new Date(now - days * DAY), goesOn);
}

const SAMPLES_OF_SERVER = deletionOfOwner(t, t.serverId, t.ts);
const HOURS_OF_SERVER = deletionOfOwner(h, h.serverId, h.hour);

/** Deletes all samples and hourly sums of a server, before the server itself is deleted. */
export async function deleteTelemetry(serverId: number): Promise<void> {
  await deleteOfOwner(SAMPLES_OF_SERVER, serverId);
  await deleteOfOwner(HOURS_OF_SERVER, serverId);
}
