import { db } from "@/lib/database/client";
import { queryIn } from "@/lib/database/run-statement";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement, type Sample } from "@/lib/servers/telemetry/measurements";
import type { ParsedReport } from "@/lib/servers/telemetry/report";

/** A sample in which nothing else was measured. */
export function sampleWith(measured: Partial<Sample>): Sample {
  return { ...eachMeasurement(() => null), ...measured };
}

type Report = Omit<ParsedReport, "sample"> & { sample?: Partial<Sample> };

/** Stores a check-in whose sample was taken at `now`, which is also when it arrives. */
export async function recordCheckIn(serverId: number, report: Report, now: Date = new Date()): Promise<void> {
  const { sample, ...told } = report;
  const whole = { ...told, ...(sample && { sample: sampleWith(sample) }) };
  await storeCheckIn(serverId, whole, { sampledAt: now, arrivedAt: now });
}

/** A machine that is well. */
export const WELL: Sample = {
  ...eachMeasurement(() => 0),
  ...{ cpuPct: 10, load5: 0.5, memUsedMb: 500, memTotalMb: 1000, diskUsedPct: 40, uptimeS: 1_000_000 },
};

/**
 * Stores a sample of a time (epoch ms) of a machine that is well but for `over`. It arrives at that time, unless `arrivedAt` says
 * otherwise. Answers whether it was stored.
 */
export function sendSample(
  serverId: number,
  at: number,
  over: Partial<Sample> = {},
  { arrivedAt = at, daemon }: { arrivedAt?: number; daemon?: string } = {},
): Promise<boolean> {
  const arrival = { sampledAt: new Date(at), arrivedAt: new Date(arrivedAt), ...(daemon && { daemon }) };
  return storeCheckIn(serverId, { sample: { ...WELL, ...over } }, arrival);
}

/** PostgreSQL's clock (epoch ms). */
export async function databaseNow(): Promise<number> {
  const text = "select (date_part('epoch', now()) * 1000)::bigint as now";
  const [row] = await queryIn(db, { text, names: [] } as { text: string; names: []; row?: { now: number } }, {});
  return row?.now ?? 0;
}

/** Sends a check-in to a console as a daemon does, and answers the status. */
export async function checkInAt(origin: string, key: string): Promise<number> {
  const { status } = await fetch(`${origin}/ingest/v1/check-ins`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ cpu_pct: 12, mem_used_mb: 100 }),
  });
  return status;
}
