import { db } from "@/lib/database/client";
import { execute } from "@/lib/database/run-statement";
import { names, parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { rateHealth } from "@/lib/servers/health-score";
import { recordOfHours, type StabilityRecord, summariseStability } from "@/lib/servers/stability";
import { type Bands, bandsOf, merge } from "@/lib/servers/telemetry/bands";
import { rolledUpValues } from "@/lib/servers/telemetry/measurements";
import { type HourSum, keepHours } from "@/lib/servers/telemetry/roll-ups";
import { DAY, HOUR, MINUTE } from "@/lib/time";
import { isSilentAt, type Machinery, reportAt } from "@/prisma/demo/machines";

/** How far back the longest history reaches. */
const REACH = 31 * DAY;
/** One sample of half an hour stands for the sixty that a daemon sends. */
const SAMPLED_EVERY = 30 * MINUTE;

const t = table("TelemetrySample", "t");

// Raw, because the database itself can count the minutes of a day.
const MINUTELY = statement(
  { serverId: t.serverId, from: parameter<Date>("timestamptz"), until: parameter<Date>("timestamptz") },
  ({ serverId, from, until }) => ({
    sql: `insert into telemetry_samples (${names(t.serverId, t.ts)})
      select ${serverId}, at from generate_series(${from}, ${until} - interval '1 ms', '1 minute') at`,
  }),
);

/**
 * Writes the hourly sums of a machine for the time before its first samples. Writing a month of samples would take minutes.
 * The day before the samples has only check-ins, because the stability of the samples looks back on it.
 */
export async function writePast(server: Machinery): Promise<void> {
  const row = await db.server.findFirst({
    where: { account: { email: server.owner }, hostname: server.hostname },
    select: { id: true, createdAt: true, telemetrySamples: { select: { ts: true }, orderBy: { ts: "asc" }, take: 1 } },
  });
  const firstSample = row?.telemetrySamples[0]?.ts;
  if (!row || !firstSample) return;
  const { id, createdAt } = row;
  const end = Math.floor(firstSample.getTime() / HOUR) * HOUR;
  await execute(MINUTELY, {
    serverId: id,
    from: new Date(Math.max(createdAt.getTime(), end - DAY)),
    until: new Date(end),
  });
  const first = Math.ceil(Math.max(createdAt.getTime(), end - REACH) / HOUR) * HOUR;
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
    const since = Math.max(createdAt.getTime(), (hours[0]?.hour ?? 0) * HOUR);
    sums.set(hour, sumOf(server, createdAt.getTime(), hour, { record, since }));
  }
  await keepHours(id, sums);
}

/** What is known of stability by an hour: the record, and when that begins. */
type Known = { record: StabilityRecord; since: number };

function sumOf(server: Machinery, createdAt: number, hour: number, { record, since }: Known): HourSum {
  let [samples, bands]: [number, Bands] = [0, {}];
  for (let at = hour; at < hour + HOUR; at += SAMPLED_EVERY) {
    if (isSilentAt(server, at)) continue;
    const { sample, facts } = reportAt(server, { at, previousAt: at - SAMPLED_EVERY, createdAt });
    const stability = summariseStability(record, since, at);
    const health = rateHealth({ lastSeenAt: at, cores: facts.cores, sample: { ...sample, ts: at }, stability }, at);
    bands = merge(bands, bandsOf({ score: health.score, ...rolledUpValues(sample) }));
    samples++;
  }
  return { samples, bands };
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
