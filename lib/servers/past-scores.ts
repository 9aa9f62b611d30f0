import { db, type Prisma } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import type { HistoryValues } from "@/lib/servers/bands";
import { scoreHealth } from "@/lib/servers/health-score";
import { recordOfHours, type StabilityRecord, summariseStability, withCheckIn } from "@/lib/servers/stability";
import { HOUR } from "@/lib/time";

/** The stability component looks back on this many hours of the clock before the current one. */
const HOURS_BEFORE = 23;

/** What a score depends on beside the samples. */
export type RatedServer = { id: number; createdAt: Date; cores: number | null };

export function toRatedServer({ id, createdAt, facts }: { id: number; createdAt: Date; facts: unknown }): RatedServer {
  const { cores } = facts as { cores?: unknown };
  return { id, createdAt, cores: typeof cores === "number" && cores > 0 ? cores : null };
}

/** @throws NotFoundError when there is no such server of this account. */
export async function getRatedServer(accountId: number, id: number): Promise<RatedServer> {
  const server = await db.server.findFirst({
    where: { id, accountId },
    select: { id: true, createdAt: true, facts: true },
  });
  if (!server) throw new NotFoundError();
  return toRatedServer(server);
}

/** A sample with the score that the server had at its arrival. `ts` is in epoch milliseconds. */
export type RatedSample = { ts: number; values: HistoryValues };

const select = {
  ts: true,
  cpuPct: true,
  cpuStealPct: true,
  cpuIowaitPct: true,
  load5: true,
  memUsedMb: true,
  memTotalMb: true,
  swapUsedPct: true,
  diskUsedPct: true,
  netLossPct: true,
  netRetransmitPct: true,
  uptimeS: true,
  oomKills: true,
  failedUnits: true,
} satisfies Prisma.TelemetrySampleSelect;
type Sample = Prisma.TelemetrySampleGetPayload<{ select: typeof select }>;

type Client = Pick<typeof db, "telemetrySample" | "$queryRaw">;

/** What is known of a server just before a sample of it arrives. */
type Before = { record: StabilityRecord; previousUptimeS: number | null };

/** Samples that are read at a time: a writer may send one every second, and a day of those is 86,400. */
const PAGE = 5000;

/**
 * The samples with `from <= ts < to` (epoch ms), in order, each rated as `getServer` rated the server when that sample
 * arrived: by the samples up to then and by nothing that came later. It depends on the samples alone, whoever wrote
 * them, so the same samples always give the same scores.
 */
export async function* rateSamples(
  server: RatedServer,
  from: number,
  to: number,
  client: Client = db,
): AsyncGenerator<RatedSample> {
  let before: Before | undefined;
  for (let since = new Date(from); ; ) {
    const samples = await client.telemetrySample.findMany({
      where: { serverId: server.id, ts: { gte: since, lt: new Date(to) } },
      select,
      orderBy: { ts: "asc" },
      take: PAGE,
    });
    for (const sample of samples) {
      before = after(before ?? (await readBefore(server.id, from, client)), sample);
      yield { ts: sample.ts.getTime(), values: valuesOf(sample, scoreAt(server, sample, before.record)) };
    }
    const last = samples.at(-1);
    if (!last || samples.length < PAGE) return;
    // Times are whole milliseconds.
    since = new Date(last.ts.getTime() + 1);
  }
}

/** The same step that each check-in takes. */
function after({ record, previousUptimeS }: Before, sample: Sample): Before {
  const hasRestarted = previousUptimeS !== null && sample.uptimeS !== null && sample.uptimeS < previousUptimeS;
  return {
    record: withCheckIn(record, sample.ts.getTime(), {
      restarts: hasRestarted ? 1 : 0,
      oomKills: sample.oomKills ?? 0,
      failedUnits: sample.failedUnits,
    }),
    previousUptimeS: sample.uptimeS,
  };
}

function scoreAt({ createdAt, cores }: RatedServer, sample: Sample, record: StabilityRecord): number {
  const ts = sample.ts.getTime();
  const stability = summariseStability(record, createdAt.getTime(), ts);
  return scoreHealth({ lastSeenAt: ts, cores, sample: { ...sample, ts }, stability }, ts).score;
}

function valuesOf(sample: Sample, score: number): HistoryValues {
  return { ...sample, memUsedPct: memUsedPctOf(sample), score };
}

/** Percent of the memory that is used; null where one of the two was not measured. */
export function memUsedPctOf({ memUsedMb, memTotalMb }: Pick<Sample, "memUsedMb" | "memTotalMb">): number | null {
  return memUsedMb !== null && memTotalMb ? Math.min(100, (memUsedMb / memTotalMb) * 100) : null;
}

type HourBefore = {
  hour: number;
  minutes: number;
  reboots: number;
  oom_kills: number;
  last_oom_at: Date | null;
  failed_units: number | null;
  last_uptime_s: number | null;
};

/** Summed up by PostgreSQL: a day of samples is thousands of rows, and these are 24. */
async function readBefore(serverId: number, from: number, client: Client): Promise<Before> {
  const since = new Date((Math.floor(from / HOUR) - HOURS_BEFORE) * HOUR);
  const hours = await client.$queryRaw<HourBefore[]>`
    select floor(extract(epoch from ts) / 3600)::int as hour,
      count(distinct date_trunc('minute', ts))::int as minutes,
      count(*) filter (where uptime_s < uptime_s_before)::int as reboots,
      coalesce(sum(oom_kills), 0)::int as oom_kills,
      max(ts) filter (where oom_kills > 0) as last_oom_at,
      (array_agg(failed_units order by ts desc) filter (where failed_units is not null))[1] as failed_units,
      (array_agg(uptime_s order by ts desc))[1] as last_uptime_s
    from (
      select ts, uptime_s, oom_kills, failed_units, lag(uptime_s) over (order by ts) as uptime_s_before
      from telemetry_samples where server_id = ${serverId} and ts >= ${since} and ts < ${new Date(from)}) t
    group by 1 order by 1`;
  const latest = <Value>(value: (hour: HourBefore) => Value | null) => hours.map(value).findLast((v) => v !== null);
  return {
    record: recordOfHours(hours, {
      last_oom_at: latest(({ last_oom_at }) => last_oom_at)?.getTime() ?? null,
      failed_units: latest(({ failed_units }) => failed_units) ?? 0,
    }),
    previousUptimeS: hours.at(-1)?.last_uptime_s ?? null,
  };
}
