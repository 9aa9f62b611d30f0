import { db, type Prisma } from "@/lib/database/client";
import { queryIn, type Transaction } from "@/lib/database/run-statement";
import { type RowOfStatement, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { NotFoundError } from "@/lib/failures";
import { hasReaderLeft } from "@/lib/process/reader.mjs";
import { type Score, scoreHealth } from "@/lib/servers/health-score";
import {
  countsFrom,
  recordOfHours,
  type StabilityRecord,
  summariseStability,
  withCheckIn,
} from "@/lib/servers/stability";
import type { HistoryValues } from "@/lib/servers/telemetry/bands";
import { eachMeasurement, rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { HOURS_BEFORE } from "@/lib/servers/telemetry/sum-statement";
import { HOUR } from "@/lib/time";

/** The facts besides samples that a score depends on. */
export type RatedServer = { id: number; countsFrom: Date; cores: number | null };

/** The columns of a server that `toRatedServer` needs. */
export const RATED = { id: true, createdAt: true, firstSeenAt: true, facts: true } as const;
type RatedRow = { id: number; createdAt: Date; firstSeenAt: Date | null; facts: unknown };

export function toRatedServer({ id, facts, ...times }: RatedRow): RatedServer {
  const { cores } = facts as { cores?: unknown };
  return { id, countsFrom: countsFrom(times), cores: typeof cores === "number" && cores > 0 ? cores : null };
}

/** @throws NotFoundError when there is no such server of this account. */
export async function getRatedServer(accountId: number, id: number): Promise<RatedServer & { lastSeenAt: Date }> {
  const server = await db.server.findFirst({
    where: { id, accountId },
    select: { ...RATED, lastSeenAt: true },
  });
  if (!server) throw new NotFoundError();
  return { ...toRatedServer(server), lastSeenAt: server.lastSeenAt };
}

/** A sample with the score that the server had at its arrival. `ts` is in epoch milliseconds. */
export type RatedSample = { ts: number; rating: Score; values: HistoryValues };

const SAMPLE = { ts: true, ...eachMeasurement(() => true as const) } satisfies Prisma.TelemetrySampleSelect;
type StoredSample = Prisma.TelemetrySampleGetPayload<{ select: typeof SAMPLE }>;

type Client = Transaction & Pick<typeof db, "telemetrySample">;

/** What is known of a server just before a sample of it arrives. */
type Before = { record: StabilityRecord; previousUptimeS: number | null };

/** Samples per read. Rating them holds up everything else in this process for a few milliseconds. */
const PAGE = 250;

/**
 * Rates the samples with `from <= ts < to` (epoch ms), in order. Each gets the score that `getServer` gave at its arrival,
 * so only earlier samples count. The score depends on nothing but the samples: the same samples give the same scores.
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
      select: SAMPLE,
      orderBy: { ts: "asc" },
      take: PAGE,
    });
    for (const sample of samples) {
      before = after(before ?? (await readBefore(server.id, from, client)), sample);
      const rating = ratingOf(server, sample, before.record);
      yield { ts: sample.ts.getTime(), rating, values: { score: rating.score, ...rolledUpValues(sample) } };
    }
    const last = samples.at(-1);
    if (!last || samples.length < PAGE || hasReaderLeft()) return;
    // Times are whole milliseconds.
    since = new Date(last.ts.getTime() + 1);
  }
}

/** The same step that each check-in takes. */
function after({ record, previousUptimeS }: Before, sample: StoredSample): Before {
  const hasRestarted = previousUptimeS !== null && sample.uptimeS !== null && sample.uptimeS < previousUptimeS;
  return {
    record: withCheckIn(record, sample.ts.getTime(), {
      restarts: hasRestarted ? 1 : 0,
      // No score depends on them.
      outages: 0,
      oomKills: sample.oomKills ?? 0,
      failedUnits: sample.failedUnits,
    }),
    previousUptimeS: sample.uptimeS,
  };
}

function ratingOf({ countsFrom: since, cores }: RatedServer, sample: StoredSample, record: StabilityRecord): Score {
  const ts = sample.ts.getTime();
  const stability = summariseStability(record, since.getTime(), ts);
  return scoreHealth({ lastSeenAt: ts, cores, sample: { ...sample, ts }, stability }, ts);
}

const i = table("TelemetrySample", "i");
/** The same samples, each with the uptime of the one before it. */
const t = table("TelemetrySample", "t");

// Raw, because PostgreSQL sums up a day: 24 rows instead of thousands of samples.
const HOURS_UNTIL = statement({ serverId: i.serverId, since: i.ts, until: i.ts }, ({ serverId, since, until }) =>
  select(
    {
      hour: new Expression<number>(`floor(extract(epoch from ${t.ts}) / 3600)::int`),
      minutes: new Expression<number>(`count(distinct date_trunc('minute', ${t.ts}))::int`),
      reboots: new Expression<number>(`count(*) filter (where ${t.uptimeS} < t.uptime_before)::int`),
      oom_kills: new Expression<number>(`coalesce(sum(${t.oomKills}), 0)::int`),
      lastOomAt: new Expression<Date | null>(`max(${t.ts}) filter (where ${t.oomKills} > 0)`, "instant"),
      failedUnits: new Expression<(typeof t.failedUnits)["value"]>(
        `(array_agg(${t.failedUnits} order by ${t.ts} desc) filter (where ${t.failedUnits} is not null))[1]`,
      ),
      lastUptimeS: new Expression<(typeof t.uptimeS)["value"]>(`(array_agg(${t.uptimeS} order by ${t.ts} desc))[1]`),
    },
    `from (
      select ${i.ts}, ${i.uptimeS}, ${i.oomKills}, ${i.failedUnits},
        lag(${i.uptimeS}) over (order by ${i.ts}) as uptime_before
      from ${i} where ${i.serverId} = ${serverId} and ${i.ts} >= ${since} and ${i.ts} < ${until}) t
    group by 1 order by 1`,
  ),
);
type HourBefore = RowOfStatement<typeof HOURS_UNTIL>;

async function readBefore(serverId: number, from: number, client: Client): Promise<Before> {
  const since = new Date((Math.floor(from / HOUR) - HOURS_BEFORE) * HOUR);
  const hours = await queryIn(client, HOURS_UNTIL, { serverId, since, until: new Date(from) });
  const latest = <Value>(value: (hour: HourBefore) => Value | null) => hours.map(value).findLast((v) => v !== null);
  return {
    record: recordOfHours(hours, {
      last_oom_at: latest(({ lastOomAt }) => lastOomAt) ?? null,
      failed_units: latest(({ failedUnits }) => failedUnits) ?? 0,
    }),
    previousUptimeS: hours.at(-1)?.lastUptimeS ?? null,
  };
}
