import { db, type Prisma } from "@/lib/database/client";
import { executeIn, type Transaction } from "@/lib/database/run-statement";
import { names, parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { parseStabilityRecord, withCheckIn } from "@/lib/servers/stability";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import type { Sample as Measured, Measurement } from "@/lib/servers/telemetry/measurements";
import { parseReport } from "@/lib/servers/telemetry/report";
import { hasRestarted, isSilentAt, type Machinery, reportAt } from "@/prisma/demo/machines";
import { keyOf } from "@/prisma/demo/random";

const selectAt = (now: Date) =>
  ({
    ...{ id: true, createdAt: true, lastSeenAt: true, stability: true },
    // A daemon keeps its key until that key ends.
    keys: { select: { id: true }, where: working(now), orderBy: { id: "asc" }, take: 1 },
  }) satisfies Prisma.ServerSelect;
const working = (now: Date) => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });
type Row = Prisma.ServerGetPayload<{ select: ReturnType<typeof selectAt> }>;

/** What was measured, and when (epoch ms). */
type Sample = Measured & { at: number };

/**
 * Checks in for the daemon of a machine, unless that daemon is silent now. It first adds the check-ins that are missing
 * because the demo did not run (a sleeping laptop, say). Otherwise a pause would look like an outage of every server.
 * `storedSince` (epoch ms): samples before it count for the stability, and `storeSamplesBefore` stores them later.
 */
export async function checkIn(server: Machinery, now: Date, storedSince = 0): Promise<void> {
  const row = await db.server.findFirst({
    where: { account: { email: server.owner }, hostname: server.hostname },
    select: selectAt(now),
  });
  // Somebody has removed it from the demo.
  if (!row) return;
  const previousAt = await replayMissed(server, row, now.getTime(), storedSince);
  const times = { at: now.getTime(), previousAt, createdAt: row.createdAt.getTime() };
  if (isSilentAt(server, times.at)) return;
  const report = parseReport(reportAt(server, times));
  const [key] = row.keys;
  const { publicIp } = server.daemon;
  await storeCheckIn(row.id, report, { sampledAt: now, arrivedAt: now, ...(key && { key: { ...key, ip: publicIp } }) });
}

/**
 * Writes one check-in for each whole minute since the last one, as far back as the stability component looks: thousands
 * of them at once, where `storeCheckIn` takes one. Returns the time of the last check-in (epoch ms).
 */
async function replayMissed(server: Machinery, row: Row, now: number, storedSince: number): Promise<number> {
  const createdAt = row.createdAt.getTime();
  const reach = reachOf(now);
  let previousAt = Math.max(row.lastSeenAt.getTime(), reach - MINUTE);
  let stability = parseStabilityRecord(row.stability);
  const samples: Sample[] = [];
  for (const at of missedMoments(server, previousAt, now)) {
    if (isSilentAt(server, at)) continue;
    const { sample } = reportAt(server, { at, previousAt, createdAt });
    stability = withCheckIn(stability, at, {
      ...sample,
      restarts: hasRestarted(server, previousAt, at) ? 1 : 0,
    });
    samples.push({ at, ...sample });
    previousAt = at;
  }
  if (samples.length > 0) {
    await db.$transaction(async (tx) => {
      await store(
        tx,
        row.id,
        samples.filter(({ at }) => at >= storedSince),
      );
      // Every report includes the facts, so that a server that falls silent still shows them.
      const { facts, publicIp } = server.daemon;
      const data = { stability, lastSeenAt: new Date(previousAt), facts, publicIp };
      await tx.server.update({ where: { id: row.id }, data });
      const ids = row.keys.map(({ id }) => id);
      await tx.serverKey.updateMany({
        where: { id: { in: ids } },
        data: { lastUsedAt: data.lastSeenAt, lastUsedIp: publicIp },
      });
    });
  }
  return previousAt;
}

/** Stores the samples of the day before a moment (epoch ms), the newest first, in small statements. */
export async function storeDayBefore(
  server: Machinery,
  { id, createdAt }: { id: number; createdAt: Date },
  moment: number,
  signal: AbortSignal,
): Promise<void> {
  let previousAt = Math.max(createdAt.getTime(), reachOf(moment) - MINUTE);
  const samples: Sample[] = [];
  for (const at of missedMoments(server, previousAt, moment)) {
    if (isSilentAt(server, at)) continue;
    samples.push({ at, ...reportAt(server, { at, previousAt, createdAt: createdAt.getTime() }).sample });
    previousAt = at;
  }
  while (samples.length > 0 && !signal.aborted) await store(db, id, samples.splice(-SAMPLES_AT_ONCE));
}

/** How many samples one statement writes. Requests of the demo wait for it, because the embedded database takes one at a time. */
const SAMPLES_AT_ONCE = 120;

/** The beginning of the day of samples before a moment (both in epoch ms). */
export function reachOf(moment: number): number {
  return Math.floor((moment - DAY) / HOUR) * HOUR;
}

async function store(tx: Transaction, serverId: number, samples: readonly Sample[]): Promise<void> {
  await executeIn(tx, INSERT_SAMPLES, { rows: JSON.stringify(samples.map((sample) => toRow(serverId, sample))) });
}

const t = table("TelemetrySample", "t");
const MEASURED = measuredColumns(t);

const STORED = names(t.serverId, t.ts, ...Object.values(MEASURED));
// Raw, because thousands of rows are one JSON text: `createMany` takes ten times as long for them.
const INSERT_SAMPLES = statement({ rows: parameter<string>("json") }, ({ rows }) => ({
  sql: `insert into telemetry_samples (${STORED})
    select ${STORED} from json_populate_recordset(null::telemetry_samples, ${rows})
    on conflict (${names(t.serverId, t.ts)}) do nothing`,
}));

/** A row as PostgreSQL reads it from JSON: under the names of its columns. */
function toRow(serverId: number, { at, ...measured }: Sample): Record<string, unknown> {
  const values = Object.entries(MEASURED).map(([name, column]) => [column.name, measured[name as Measurement]]);
  return { [t.serverId.name]: serverId, [t.ts.name]: new Date(at), ...Object.fromEntries(values) };
}

/** One moment in each minute between two moments. Each machine has its own second of the minute. */
function missedMoments({ hostname }: Machinery, from: number, to: number): number[] {
  const first = Math.floor(from / MINUTE) + 1;
  const count = Math.max(0, Math.floor(to / MINUTE) - first);
  const second = (keyOf(hostname) % 60) * SECOND;
  return Array.from({ length: count }, (_, index) => (first + index) * MINUTE + second);
}
