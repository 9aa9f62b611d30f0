import { db } from "@/lib/database/client";
import { findLatestInterval, recordIntervals } from "@/lib/game-services/metrics";
import { DAY, MINUTE } from "@/lib/time";
import { type DemoService, EDGE_NODES } from "@/prisma/demo/data";
import { keyOf } from "@/prisma/demo/random";
import { intervalAt } from "@/prisma/demo/traffic";

/** The longest range of metrics. */
const REACH = 7 * DAY;

/** The edge nodes report every finished minute of a service since the last stored one, 7 days at most. */
export async function reportIntervals(service: DemoService, now: Date): Promise<void> {
  const { traffic, javaHostname } = service;
  if (!traffic) return;
  const row = await db.gameService.findFirst({
    where: { account: { email: service.owner }, javaHostname },
    select: { id: true, status: true, createdAt: true, updatedAt: true },
  });
  // Somebody has removed it from the demo.
  if (!row) return;
  // A service that is not active has had no traffic since it came into its status.
  const until = minuteOf(row.status === "active" ? now : row.updatedAt);
  // The latest minute is reported again: of a write that broke off, some nodes may be missing.
  const latest = await findLatestInterval(row.id);
  const from = Math.max(minuteOf(now.getTime() - REACH) + 1, minuteOf(row.createdAt), minuteOf(latest ?? 0));
  const source = { serviceId: row.id, key: keyOf(javaHostname), traffic };
  const minutes = Array.from({ length: Math.max(0, until - from) }, (_, index) => from + index);
  await recordIntervals(
    minutes.flatMap((minute) => EDGE_NODES.flatMap((node) => intervalAt(source, node, minute) ?? [])),
  );
}

/** Minutes since the epoch. */
function minuteOf(time: Date | number): number {
  return Math.floor(Number(time) / MINUTE);
}
