import { db, type Prisma } from "@/lib/database/client";
import { recordCheckIn } from "@/lib/servers/check-ins";
import { parseStabilityRecord, withCheckIn } from "@/lib/servers/stability";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/time";
import { hasRestarted, isSilentAt, type Machinery, reportAt } from "@/prisma/demo/machines";
import { keyOf } from "@/prisma/demo/random";

const select = { id: true, createdAt: true, lastSeenAt: true, stability: true } satisfies Prisma.ServerSelect;
type Row = Prisma.ServerGetPayload<{ select: typeof select }>;

/** What was measured, and when (epoch ms). */
type Sample = ReturnType<typeof reportAt>["sample"] & { at: number };

/**
 * The daemon of a machine checks in, unless it is silent just now. Whatever it missed because nobody ran the demo (a
 * laptop that slept, say) is made up for first, so that a pause does not look like an outage of every server.
 */
export async function checkIn(server: Machinery, now: Date): Promise<void> {
  const row = await db.server.findFirst({
    where: { account: { email: server.owner }, hostname: server.hostname },
    select,
  });
  // Somebody has removed it from the demo.
  if (!row) return;
  const previousAt = await replayMissed(server, row, now.getTime());
  const times = { at: now.getTime(), previousAt, createdAt: row.createdAt.getTime() };
  if (!isSilentAt(server, times.at)) await recordCheckIn(row.id, reportAt(server, times), now);
}

/**
 * Writes one check-in for each whole minute since the last one, as far back as the stability component looks: thousands
 * of them at once, where `recordCheckIn` takes one. Returns the time of the last check-in (epoch ms).
 */
async function replayMissed(server: Machinery, row: Row, now: number): Promise<number> {
  const createdAt = row.createdAt.getTime();
  const reach = Math.floor((now - DAY) / HOUR) * HOUR;
  let previousAt = Math.max(row.lastSeenAt.getTime(), reach - MINUTE);
  let stability = parseStabilityRecord(row.stability);
  const samples: Sample[] = [];
  for (const at of missedMoments(server, previousAt, now)) {
    if (isSilentAt(server, at)) continue;
    const { sample } = reportAt(server, { at, previousAt, createdAt });
    stability = withCheckIn(stability, at, { ...sample, restarts: hasRestarted(server, previousAt, at) ? 1 : 0 });
    samples.push({ at, ...sample });
    previousAt = at;
  }
  if (samples.length > 0) {
    await db.$transaction([
      insertSamples(row.id, samples),
      db.server.update({
        where: { id: row.id },
        // Every report says what the machine is, so that a silent one is known by its last report too.
        data: {
          stability,
          lastSeenAt: new Date(previousAt),
          facts: server.daemon.facts,
          publicIp: server.daemon.publicIp,
        },
      }),
    ]);
  }
  return previousAt;
}

/** As one JSON text: `createMany` takes ten times as long for it. */
function insertSamples(serverId: number, samples: readonly Sample[]) {
  return db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5, mem_used_mb,
      mem_total_mb, swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s, oom_kills, failed_units)
    select ${serverId}, to_timestamp(at / 1000.0), "cpuPct", "cpuStealPct", "cpuIowaitPct", load5, "memUsedMb",
      "memTotalMb", "swapUsedPct", "diskUsedPct", "netLossPct", "netRetransmitPct", "uptimeS", "oomKills", "failedUnits"
    from json_to_recordset(${JSON.stringify(samples)}::json) as sample (
      at bigint, "cpuPct" float8, "cpuStealPct" float8, "cpuIowaitPct" float8, load5 float8, "memUsedMb" float8,
      "memTotalMb" float8, "swapUsedPct" float8, "diskUsedPct" float8, "netLossPct" float8, "netRetransmitPct" float8,
      "uptimeS" float8, "oomKills" int, "failedUnits" int)
    on conflict (server_id, ts) do nothing`;
}

/** One moment in each minute between the minutes of two moments, at the second that is this machine's own. */
function missedMoments({ hostname }: Machinery, from: number, to: number): number[] {
  const first = Math.floor(from / MINUTE) + 1;
  const count = Math.max(0, Math.floor(to / MINUTE) - first);
  const second = (keyOf(hostname) % 60) * SECOND;
  return Array.from({ length: count }, (_, index) => (first + index) * MINUTE + second);
}
