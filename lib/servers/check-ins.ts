import { z } from "zod";
import { db, Prisma } from "@/lib/database/client";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { parseStabilityRecord, withCheckIn } from "@/lib/servers/stability";

const percent = z.number().min(0).max(100).nullable().default(null);
const amount = z.number().min(0).nullable().default(null);
const count = z.int().min(0).max(1_000_000).nullable().default(null);

/** What a daemon reports. What it could not measure it leaves out or sends as null. */
const checkIn = z.strictObject({
  /** Facts about the machine; they replace the ones reported before. */
  facts: z.looseObject({ os: z.string(), kernel: z.string(), cores: z.int().min(1).max(65_536) }).optional(),
  publicIp: z.union([z.ipv4(), z.ipv6()]).nullable().optional(),
  sample: z
    .strictObject({
      cpuPct: z.number().min(0).max(100),
      cpuStealPct: percent,
      cpuIowaitPct: percent,
      load5: amount,
      memUsedMb: z.number().min(0),
      memTotalMb: amount,
      swapUsedPct: percent,
      diskUsedPct: percent,
      netLossPct: percent,
      netRetransmitPct: percent,
      uptimeS: amount,
      /** Since the previous check-in. */
      oomKills: count,
      failedUnits: count,
    })
    .optional(),
});

export type CheckIn = z.input<typeof checkIn>;

type Previous = { last_seen_at: Date; created_at: Date; stability: unknown; uptime_s: number | null };

/**
 * Takes in one check-in of a server's daemon at `now`: the server is seen, its facts and address are updated, the
 * sample is stored, and the record behind the stability component moves on; all of it or nothing.
 * @throws InvalidInputError naming the first wrong value. @throws NotFoundError for an unknown server.
 */
export async function recordCheckIn(serverId: number, report: CheckIn, now: Date = new Date()): Promise<void> {
  const parsed = checkIn.safeParse(report);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new InvalidInputError(`Invalid check-in: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { facts, publicIp, sample } = parsed.data;
  await db.$transaction(async (tx) => {
    // Two check-ins of one server are taken one after the other.
    const [previous] = await tx.$queryRaw<Previous[]>`
      select s.last_seen_at, s.created_at, s.stability, (
        select t.uptime_s from telemetry_samples t
        where t.server_id = s.id and t.ts < ${now} order by t.ts desc limit 1) as uptime_s
      from servers s where s.id = ${serverId} for update`;
    if (!previous) throw new NotFoundError();
    const stability = withCheckIn(parseStabilityRecord(previous.stability), now.getTime(), previousCheckIn(previous), {
      rebooted: hasRebooted(previous.uptime_s, sample?.uptimeS ?? null),
      oomKills: sample?.oomKills ?? 0,
      // What a report that arrives late says of the present is out of date.
      failedUnits: now >= previous.last_seen_at ? (sample?.failedUnits ?? null) : null,
    });
    await tx.server.update({
      where: { id: serverId },
      data: {
        lastSeenAt: latest(now, previous),
        stability,
        publicIp: publicIp === undefined ? Prisma.skip : publicIp,
        facts: facts === undefined ? Prisma.skip : (facts as Prisma.InputJsonObject),
      },
    });
    if (sample) {
      await tx.telemetrySample.upsert({
        where: { serverId_ts: { serverId, ts: now } },
        create: { serverId, ts: now, ...sample },
        update: sample,
      });
    }
  });
}

/** A server that was never seen has the time of its creation as its last check-in. */
function previousCheckIn({ last_seen_at, created_at }: Previous): number | null {
  return last_seen_at.getTime() === created_at.getTime() ? null : last_seen_at.getTime();
}

/** Never backwards, and never the time of creation, which means that there was no check-in. */
function latest(now: Date, { last_seen_at, created_at }: Previous): Date {
  return new Date(Math.max(now.getTime(), last_seen_at.getTime(), created_at.getTime() + 1));
}

/** The machine has been up for less time than it had been at the previous sample. */
function hasRebooted(previousUptimeS: number | null, uptimeS: number | null): boolean {
  return previousUptimeS !== null && uptimeS !== null && uptimeS < previousUptimeS;
}
