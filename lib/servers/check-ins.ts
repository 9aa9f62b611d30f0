import { z } from "zod";
import { db, Prisma } from "@/lib/database/client";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { parseStabilityRecord, withCheckIn } from "@/lib/servers/stability";
import { MINUTE } from "@/lib/time";

const percent = z.number().min(0).max(100).nullable().default(null);
/** Beyond any machine, and far from where adding up loses digits. */
const amount = z.number().min(0).max(1e12).nullable().default(null);
const count = z.int().min(0).max(1_000_000).nullable().default(null);

export const cores = z.int().min(1).max(65_536);

/** What a daemon measures. What it could not measure it leaves out or sends as null. */
export const measurements = {
  cpuPct: percent,
  cpuStealPct: percent,
  cpuIowaitPct: percent,
  load5: amount,
  memUsedMb: amount,
  memTotalMb: amount,
  swapUsedPct: percent,
  diskUsedPct: percent,
  netLossPct: percent,
  netRetransmitPct: percent,
  uptimeS: amount,
  /** Since the previous check-in. */
  oomKills: count,
  failedUnits: count,
} as const;

export const publicIp = z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }).nullable();

const checkIn = z.strictObject({
  /** Facts about the machine; they replace the ones reported before. */
  facts: z.looseObject({ os: z.string(), kernel: z.string(), cores }).optional(),
  publicIp: publicIp.optional(),
  sample: z.strictObject(measurements).optional(),
});

export type CheckIn = z.input<typeof checkIn>;
export type ParsedCheckIn = z.output<typeof checkIn>;

/** When it was measured, and how it came here. */
export type Arrival = {
  /** What the sample tells of; a daemon that could not deliver it at once delivers it later. */
  sampledAt: Date;
  arrivedAt: Date;
  /** The random name that the daemon gave itself when it started. */
  daemon?: string;
  /** The server key it came with, and from where. */
  key?: { id: number; ip: string | null };
};

type Previous = {
  last_seen_at: Date;
  created_at: Date;
  stability: unknown;
  stability_md5: string;
  daemon: string | null;
  daemon_before: string | null;
  two_daemons_at: Date | null;
  /** Of the sample before this one, and of the one after it if this one arrives late. */
  uptime_before: number | null;
  uptime_after: number | null;
  newest_ts: Date | null;
};

/** A key's use is written at most this often. */
const KEY_USE_PRECISION = MINUTE;

/** Each attempt fails only when another check-in of the same server succeeds. */
const MAX_ATTEMPTS = 100;

/**
 * Takes in one check-in of a server's daemon at `now`: the server is seen, its facts and ip are updated, the
 * sample is stored, and the record behind the stability component moves on; all of it or nothing.
 * @throws InvalidInputError naming the first wrong value. @throws NotFoundError for an unknown server.
 */
export async function recordCheckIn(serverId: number, report: CheckIn, now: Date = new Date()): Promise<void> {
  const parsed = checkIn.safeParse(report);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidInputError(`Invalid check-in: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  await storeCheckIn(serverId, parsed.data, { sampledAt: now, arrivedAt: now });
}

/**
 * As `recordCheckIn`, for what was checked before. A sample that is there already changes nothing at all, so a daemon
 * may send again what it is not sure to have delivered; false says so. The server was last seen at the arrival.
 * @throws NotFoundError for an unknown server.
 */
export async function storeCheckIn(
  serverId: number,
  { facts, publicIp, sample }: ParsedCheckIn,
  { sampledAt, arrivedAt, daemon, key }: Arrival,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [previous] = await db.$queryRaw<Previous[]>`
      select s.last_seen_at, s.created_at, s.stability, md5(s.stability::text) as stability_md5,
        s.daemon, s.daemon_before, s.two_daemons_at,
        (select t.uptime_s from telemetry_samples t
          where t.server_id = s.id and t.ts < ${sampledAt} order by t.ts desc limit 1) as uptime_before,
        (select t.uptime_s from telemetry_samples t
          where t.server_id = s.id and t.ts > ${sampledAt} order by t.ts limit 1) as uptime_after,
        (select max(t.ts) from telemetry_samples t where t.server_id = s.id) as newest_ts
      from servers s where s.id = ${serverId}`;
    if (!previous) throw new NotFoundError();
    // What a report that arrives late says of the present is out of date.
    const isNewest = previous.newest_ts === null || sampledAt >= previous.newest_ts;
    const stability = withCheckIn(parseStabilityRecord(previous.stability), sampledAt.getTime(), {
      restarts: restartsRevealed(previous, sample?.uptimeS ?? null),
      oomKills: sample?.oomKills ?? 0,
      failedUnits: isNewest ? (sample?.failedUnits ?? null) : null,
    });
    const daemons = withDaemon(previous, daemon, arrivedAt);
    const newFacts = isNewest && facts ? JSON.stringify(facts) : null;
    const hasNewIp = isNewest && publicIp !== undefined;
    // One statement, so one transaction: nothing is written unless the server is as it was read, and nothing but the
    // sample decides whether anything is new. No transaction is held open between reading and writing.
    const [written] = await db.$queryRaw<{ was_same: boolean; was_new: boolean }[]>`
      with same as (
        select id from servers where id = ${serverId} and last_seen_at = ${previous.last_seen_at}
          and md5(stability::text) = ${previous.stability_md5} for update),
      added as (${sample ? insertSample(sampledAt, sample) : Prisma.sql`select id from same`}),
      used as (
        update server_keys set last_used_at = ${arrivedAt}, last_used_ip = ${key?.ip ?? null}
        where id = ${key?.id ?? null}::int
          and (last_used_at is null or last_used_at <= ${new Date(arrivedAt.getTime() - KEY_USE_PRECISION)})
          and exists (select from added)),
      changed as (
        update servers set
          last_seen_at = ${latest(arrivedAt, previous)},
          stability = ${JSON.stringify(stability)}::jsonb,
          facts = coalesce(${newFacts}::jsonb, facts),
          public_ip = case when ${hasNewIp} then ${publicIp ?? null} else public_ip end,
          daemon = ${daemons.daemon}, daemon_before = ${daemons.daemonBefore}, two_daemons_at = ${daemons.twoDaemonsAt}
        where id = ${serverId} and exists (select from added))
      select exists (select from same) as was_same, exists (select from added) as was_new`;
    if (written?.was_same) return written.was_new;
  }
  throw new Error(`Server ${serverId} never stayed as it was between reading and writing.`);
}

function insertSample(ts: Date, sample: NonNullable<ParsedCheckIn["sample"]>): Prisma.Sql {
  return Prisma.sql`
    insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5, mem_used_mb,
      mem_total_mb, swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s, oom_kills, failed_units)
    select id, ${ts}::timestamptz, ${sample.cpuPct}::float8, ${sample.cpuStealPct}::float8,
      ${sample.cpuIowaitPct}::float8, ${sample.load5}::float8, ${sample.memUsedMb}::float8, ${sample.memTotalMb}::float8,
      ${sample.swapUsedPct}::float8, ${sample.diskUsedPct}::float8, ${sample.netLossPct}::float8,
      ${sample.netRetransmitPct}::float8, ${sample.uptimeS}::float8, ${sample.oomKills}::int, ${sample.failedUnits}::int
    from same on conflict (server_id, ts) do nothing returning server_id as id`;
}

/** Never backwards, and never the time of creation, which means that there was no check-in. */
function latest(now: Date, { last_seen_at, created_at }: Previous): Date {
  return new Date(Math.max(now.getTime(), last_seen_at.getTime(), created_at.getTime() + 1));
}

/** How many more restarts there are to see with this sample than without it. */
function restartsRevealed({ uptime_before, uptime_after }: Previous, uptimeS: number | null): number {
  if (uptimeS === null) return 0;
  const steps = (from: number | null, to: number | null) => (hasRestarted(from, to) ? 1 : 0);
  return steps(uptime_before, uptimeS) + steps(uptimeS, uptime_after) - steps(uptime_before, uptime_after);
}

/** The machine has been up for less time than it had been at the sample before. */
function hasRestarted(uptimeBefore: number | null, uptimeS: number | null): boolean {
  return uptimeBefore !== null && uptimeS !== null && uptimeS < uptimeBefore;
}

/** A daemon takes a new name when it starts: one that comes back after another is still running beside it. */
function withDaemon(
  { daemon: last, daemon_before: before, two_daemons_at }: Previous,
  daemon: string | undefined,
  now: Date,
) {
  if (daemon === undefined || daemon === last)
    return { daemon: last, daemonBefore: before, twoDaemonsAt: two_daemons_at };
  return { daemon, daemonBefore: last, twoDaemonsAt: daemon === before ? now : two_daemons_at };
}
