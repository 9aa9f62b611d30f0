import { db, type Prisma } from "@/lib/database/client";
import { makeDay } from "@/lib/database/partitions";
import { executeIn } from "@/lib/database/run-statement";
import { names, parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { presentScore, rateSample, type Stability } from "@/lib/servers/health-score";
import { GRID, storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { HISTORY_MEASURES, rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { parseReport } from "@/lib/servers/telemetry/report";
import { hasRestarted, isSilentAt, type Machinery, reportAt } from "@/prisma/demo/machines";

const selectAt = (now: Date) =>
  ({
    ...{ id: true, createdAt: true, lastSeenAt: true },
    // A daemon keeps its key until that key ends.
    keys: { select: { id: true }, where: working(now), orderBy: { id: "asc" }, take: 1 },
  }) satisfies Prisma.ServerSelect;
const working = (now: Date) => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });

/**
 * Checks in for the daemon of a machine, unless that daemon is silent now. It first adds the samples that are missing
 * because the demo did not run (a sleeping laptop, say), of the last `reach` milliseconds.
 */
export async function checkIn(server: Machinery, now: Date, reach = DAY): Promise<void> {
  const row = await db.server.findFirst({
    where: { account: { email: server.owner }, hostname: server.hostname },
    select: selectAt(now),
  });
  // Somebody has removed it from the demo.
  if (!row) return;
  const at = now.getTime();
  const createdAt = row.createdAt.getTime();
  const heardAt = row.lastSeenAt?.getTime() ?? createdAt;
  const since = Math.max(heardAt, at - reach);
  const moments = minutesBetween(since + MINUTE, at).filter((moment) => !isSilentAt(server, moment));
  await storePast(server, { id: row.id, createdAt }, moments);
  const previousAt = moments.at(-1) ?? since;
  if (isSilentAt(server, at)) return;
  const report = parseReport(reportAt(server, { at, previousAt, createdAt }));
  const [key] = row.keys;
  const { publicIp } = server.daemon;
  await storeCheckIn(row.id, report, { sampledAt: now, arrivedAt: now, ...(key && { key: { ...key, ip: publicIp } }) });
  // Known for as long as it has samples.
  const first = moments[0];
  if (row.lastSeenAt === null && first !== undefined) await setFirstSeen(row.id, new Date(first));
}

/** Moves the first check-in of a server back. */
export async function setFirstSeen(id: number, firstSeenAt: Date): Promise<void> {
  await db.server.updateMany({ where: { id, firstSeenAt: { gt: firstSeenAt } }, data: { firstSeenAt } });
}

/** The whole minutes in `[from, to)` (epoch ms), in order, or every so many milliseconds. */
export function minutesBetween(from: number, to: number, every = MINUTE): number[] {
  const first = Math.ceil(from / every) * every;
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / every)) }, (_, index) => first + index * every);
}

/** How many samples one statement writes. Requests of the demo wait for it, because the embedded database takes one at a time. */
const SAMPLES_AT_ONCE = 120;

/** Stores samples of these moments (epoch ms, in order) and their hours as check-ins would have left them, the newest first. */
export async function storePast(
  server: Machinery,
  { id, createdAt }: { id: number; createdAt: number },
  moments: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  const hours = new Map<number, PastHour>();
  const hourOf = (hour: number) => {
    const known = hours.get(hour) ?? pastHour(server, hour);
    hours.set(hour, known);
    return known;
  };
  for (const day of new Set(moments.map((at) => Math.floor(at / DAY)))) await makeDay("telemetry_samples", day * DAY);
  const rest = [...moments];
  while (rest.length > 0 && !signal?.aborted) {
    const batch = rest.splice(-SAMPLES_AT_ONCE);
    const samples = batch.map((at, index) => {
      const previousAt = batch[index - 1] ?? rest.at(-1) ?? Math.max(createdAt, at - MINUTE);
      const { sample, facts } = reportAt(server, { at, previousAt, createdAt });
      const points = rateSample({ ...sample, ts: at }, facts.cores, stabilityAt(server, createdAt, at, hourOf));
      const { score } = presentScore({ rated: points, sampledAt: at, lastSeenAt: at }, at);
      return { at, values: { score, ...rolledUpValues(sample) } };
    });
    const written = [...new Set(batch.map((at) => Math.floor(at / HOUR)))].map(hourOf);
    await db.$transaction(async (tx) => {
      await executeIn(tx, SAMPLES, { rows: JSON.stringify(samples.map((sample) => rowOf(id, sample))) });
      await executeIn(tx, HOURS, { serverId: id, rows: JSON.stringify(written) });
    });
  }
}

type PastHour = {
  hour: string;
  seen: string;
  minutes: number;
  reboots: number;
  oom_kills: number;
  oom_at: string | null;
};

/** What the daemon of a machine told in an hour (in hours since the epoch). */
function pastHour(server: Machinery, hour: number): PastHour {
  const minutes = minutesBetween(hour * HOUR, (hour + 1) * HOUR);
  const heard = minutes.filter((at) => !isSilentAt(server, at));
  const { outOfMemoryEvery } = server.daemon.machine;
  const kills = heard.filter((at) => outOfMemoryEvery !== null && at % outOfMemoryEvery < MINUTE);
  const oomAt = kills.at(-1);
  return {
    hour: new Date(hour * HOUR).toISOString(),
    seen: String(heard.reduce((bits, at) => bits | (1n << BigInt((at / MINUTE) % 60)), 0n)),
    minutes: heard.length,
    reboots: minutes.filter((at) => hasRestarted(server, at - MINUTE, at)).length,
    oom_kills: kills.length,
    oom_at: oomAt === undefined ? null : new Date(oomAt).toISOString(),
  };
}

/** By the 24 hours of the clock up to that of the sample, as a check-in rates it. */
function stabilityAt(server: Machinery, createdAt: number, at: number, hourOf: (hour: number) => PastHour): Stability {
  const last = Math.floor(at / HOUR);
  const first = Math.max(last - 23, Math.ceil(createdAt / HOUR));
  const hours = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => hourOf(first + index));
  const sum = (name: "minutes" | "reboots" | "oom_kills") => hours.reduce((all, hour) => all + hour[name], 0);
  const oomAt = hours.findLast(({ oom_at }) => oom_at !== null && Date.parse(oom_at) <= at)?.oom_at;
  return {
    coveragePct: hours.length === 0 ? 100 : (sum("minutes") / (hours.length * 60)) * 100,
    reboots: sum("reboots"),
    oomKills: sum("oom_kills"),
    failedUnits: server.daemon.machine.failedUnits,
    lastOomAt: oomAt ? Date.parse(oomAt) : null,
  };
}

const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");
const STORED = names(t.serverId, t.at, ...HISTORY_MEASURES.map((measure) => t[measure]));
const rows = parameter<string>("json");
// Raw, because hundreds of rows are one JSON text: `createMany` takes ten times as long for them.
const SAMPLES = statement({ rows }, ({ rows }) => ({
  sql: `insert into telemetry_samples (${STORED})
    select ${STORED} from json_populate_recordset(null::telemetry_samples, ${rows}) on conflict do nothing`,
}));
const BANDS = HISTORY_MEASURES.flatMap((measure) => [
  [h[`${measure}Min`].name, `min(${t[measure]})`] as const,
  [h[`${measure}Avg`].name, `avg(${t[measure]})`] as const,
  [h[`${measure}Max`].name, `max(${t[measure]})`] as const,
]);
// The hours are the sums of what is stored of them.
const HOURS = statement({ serverId: h.serverId, rows }, ({ serverId, rows }) => ({
  sql: `insert into telemetry_hours as h (server_id, hour, seen, samples, reboots, oom_kills, oom_at, ${BANDS.map(([name]) => name).join(", ")})
    select ${serverId}, w.hour, w.seen, count(*), w.reboots, w.oom_kills, w.oom_at, ${BANDS.map(([, value]) => value).join(", ")}
    from json_to_recordset(${rows}) as w (hour timestamptz, seen bigint, reboots smallint, oom_kills int, oom_at timestamptz)
      join ${t} on ${t.serverId} = ${serverId} and ${t.at} >= w.hour and ${t.at} < w.hour + interval '1 hour'
    group by w.hour, w.seen, w.reboots, w.oom_kills, w.oom_at
    on conflict (server_id, hour) do update set seen = h.seen | excluded.seen, samples = excluded.samples,
      reboots = greatest(h.reboots, excluded.reboots), oom_kills = greatest(h.oom_kills, excluded.oom_kills),
      oom_at = greatest(h.oom_at, excluded.oom_at), ${BANDS.map(([name]) => `${name} = excluded.${name}`).join(", ")}`,
}));

type PastSample = { at: number; values: Record<(typeof HISTORY_MEASURES)[number], number | null> };

/** A row as PostgreSQL reads it from JSON: under the names of its columns. */
function rowOf(serverId: number, { at, values }: PastSample): Record<string, unknown> {
  const measured = HISTORY_MEASURES.map((measure) => [t[measure].name, values[measure]]);
  const onGrid = new Date(Math.floor(at / GRID) * GRID).toISOString();
  return { server_id: serverId, at: onGrid, ...Object.fromEntries(measured) };
}
