import { db } from "@/lib/database/client";
import { executeIn, query, queryIn, type Transaction } from "@/lib/database/run-statement";
import { epochMs, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND, startOfHour } from "@/lib/format/time";
import { type Bands, parseBands, serializeBands } from "@/lib/servers/telemetry/bands";
import { findLatestSampleAgain } from "@/lib/servers/telemetry/latest-sample";
import type { RatedServer } from "@/lib/servers/telemetry/past-scores";
import { COUNT, HOURS_BEFORE, KEEP, RULE, SUM_UP } from "@/lib/servers/telemetry/sum-statement";

// Roll-ups: the samples of an hour are summed up once, so that a month of history is 720 rows. An hour is summed up when
// it is first read after its end. A trigger marks it stale on every later write, so late samples and other writers are
// included.

/** An hour is settled this long after its end, when every statement that wrote into it has ended. */
const SETTLED_AFTER = 10 * MINUTE;
/** What one transaction sums up at most. It reads the samples of the day before as well. Check-ins wait for it. */
const ROWS_AT_ONCE = 20_000;
const LONGEST_BATCH = 4 * DAY;
const ROLL_UP_TRANSACTION = { maxWait: 5 * SECOND, timeout: 10 * SECOND };

/**
 * One hour of the clock. `hour` is its beginning in epoch milliseconds, `late` the number of its minutes whose score was
 * known only later.
 */
export type SummedHour = { hour: number; samples: number; bands: Bands; late: number };

/** The last hour that can be kept has ended at or before this time. */
export function settledUntil(now: number): number {
  return startOfHour(now - SETTLED_AFTER);
}

/**
 * Sums up the settled hours in `[from, to)` that are missing or stale, the latest first, until `deadline` (all epoch
 * ms). False when time ran out, the client left, or a sample was being written: the next call continues.
 */
export async function rollUp(server: RatedServer, from: number, to: number, deadline = Infinity): Promise<boolean> {
  const until = Math.min(to, settledUntil(Date.now()));
  const since = startOfHour(from);
  const due = await listDue(server.id, since, until);
  while (due.length > 0) {
    if (!(await sumUpLatest(server, due))) return false;
    // Checked after a batch, so that every call makes progress.
    if (due.length > 0 && Date.now() > deadline) return false;
  }
  return true;
}

/**
 * Finds the server's latest sample again and sums up every hour from its first sample on. An operator needs this after
 * deleting wrong samples, because a deletion marks nothing stale. Hours before the first sample stay, because their samples
 * no longer exist. False when a sample was being written; `rollUp` then does the rest.
 */
export async function recompute(server: RatedServer): Promise<boolean> {
  const first = await db.telemetrySample.findFirst({
    where: { serverId: server.id },
    select: { ts: true },
    orderBy: { ts: "asc" },
  });
  if (!first) return true;
  await findLatestSampleAgain(server.id);
  const from = startOfHour(first.ts.getTime());
  await db.telemetryHour.deleteMany({ where: { serverId: server.id, hour: { gte: new Date(from) } } });
  return rollUp(server, from, Date.now());
}

const h = table("TelemetryHour", "h");
const RANGE = { serverId: h.serverId, from: h.hour, to: h.hour };
const within = ({ serverId, from, to }: { [Name in keyof typeof RANGE]: string }) =>
  `from ${h} where ${h.serverId} = ${serverId} and ${h.hour} >= ${from} and ${h.hour} < ${to}`;
type KeptHour = readonly [hour: number, samples: number, bands: unknown, late: number];

// Raw, because a page of a month reads 720 rows: as one JSON text they are parsed at once.
const HOURS = statement(RANGE, (range) => {
  const columns = `${epochMs(h.hour)}, ${h.samples}, ${h.bands}, ${h.late}`;
  const hours = new Expression<KeptHour[] | null>(`json_agg(json_build_array(${columns}) order by ${h.hour})`);
  return select({ hours }, within(range));
});
const KEPT = statement(RANGE, (range) => {
  const hours = new Expression<number[] | null>(`json_agg(${epochMs(h.hour)})`);
  return select({ hours }, `${within(range)} and not ${h.stale} and ${h.rule} = ${RULE}`);
});

/** What is kept of the hours in `[from, to)` (epoch ms), in order; an hour of which nothing is known is absent. */
export async function listHours(serverId: number, from: number, to: number): Promise<SummedHour[]> {
  const [row] = await query(HOURS, { serverId, from: new Date(from), to: new Date(to) });
  return (row?.hours ?? []).flatMap(([hour, samples, bands, late]) => {
    const known = parseBands(bands);
    return samples > 0 || known.score ? [{ hour, samples, bands: known, late }] : [];
  });
}

/** Beginnings of the hours that are not kept as they should be, in order. */
async function listDue(serverId: number, from: number, to: number): Promise<number[]> {
  if (from >= to) return [];
  const [row] = await query(KEPT, { serverId, from: new Date(from), to: new Date(to) });
  const kept = new Set(row?.hours);
  const due: number[] = [];
  for (let hour = from; hour < to; hour += HOUR) if (!kept.has(hour)) due.push(hour);
  return due;
}

const s = table("Server", "s");

// Raw, because the typed client cannot lock a row.
const LOCK = statement({ id: s.id }, ({ id }) =>
  select({ id: s.id }, `from ${s} where ${s.id} = ${id} for update skip locked`),
);

/**
 * Locks the server's row against writers of samples. The foreign key makes each writer hold that row until its transaction
 * ends. So a sample is either visible to the reads after this lock, or its trigger sees the hours written under the lock.
 * False when a sample is being written or the server does not exist.
 */
async function lockSamples(tx: Transaction, serverId: number): Promise<boolean> {
  return (await queryIn(tx, LOCK, { id: serverId })).length > 0;
}

/**
 * Sums up the latest of these hours (in order, epoch ms), as many as have `ROWS_AT_ONCE` samples, and takes them off the
 * list. False when a sample of the server is being written.
 */
async function sumUpLatest({ id, cores, countsFrom }: RatedServer, due: number[]): Promise<boolean> {
  return db.$transaction(async (tx) => {
    // If the server has been removed in the meantime, there is nothing left to do.
    if (!(await lockSamples(tx, id)))
      return (await tx.server.count({ where: { id } })) === 0 && due.splice(0).length > 0;
    const hours = due.splice(await findBatch(tx, id, due));
    const [first, last] = [hours[0], hours.at(-1)];
    if (first === undefined || last === undefined) return true;
    await executeIn(tx, SUM_UP, {
      serverId: id,
      since: new Date(first - HOURS_BEFORE * HOUR),
      from: first / MINUTE,
      until: new Date(last + HOUR),
      hours: hours.map((hour) => hour / HOUR),
      cores,
      countsFrom,
    });
    return true;
  }, ROLL_UP_TRANSACTION);
}

/** The index from which on the hours make up one batch; at least the last of them does. */
async function findBatch(tx: Transaction, serverId: number, due: readonly number[]): Promise<number> {
  const end = (due.at(-1) ?? 0) + HOUR;
  const from = Math.max(due[0] ?? end, end - LONGEST_BATCH);
  const counts = await queryIn(tx, COUNT, { serverId, from: new Date(from), until: new Date(end) });
  const samples = new Map(counts.map((count) => [count.hour * HOUR, count.samples]));
  let first = due.length - 1;
  for (let rows = samples.get(due[first] ?? end) ?? 0; first > 0; first--) {
    const before = due[first - 1] ?? end;
    rows += samples.get(before) ?? 0;
    if (before < from || rows > ROWS_AT_ONCE) break;
  }
  return first;
}

/** An hour summed up elsewhere, and from how many samples. */
export type HourSum = { samples: number; bands: Bands };

/** Stores sums by hour (epoch ms). If the samples of an hour have been deleted, its stored sum stays. */
export async function keepHours(
  serverId: number,
  sums: ReadonlyMap<number, HourSum>,
  client: Transaction = db,
): Promise<void> {
  const rows = [...sums].map(([hour, { samples, bands }]) => ({ hour, samples, bands: serializeBands(bands) }));
  await executeIn(client, KEEP, { serverId, rows: JSON.stringify(rows) });
}
