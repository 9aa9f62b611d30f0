import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { newServer, putPast, putSample } from "./factories";

export const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
export const BEGAN = NOW - 2 * DAY;

/** A server that has reported each minute of two days, with a CPU of 20, and once of 90. */
export async function reportingServer(accountId: number, peakAt = NOW - 30 * HOUR): Promise<number> {
  const createdAt = new Date(BEGAN);
  const { id } = await newServer(accountId, {
    createdAt,
    firstSeenAt: createdAt,
    lastSeenAt: new Date(NOW),
    facts: { cores: 2 },
  });
  const values = { cpu_pct: `case when ts = '${new Date(peakAt).toISOString()}' then 90 else 20 end` };
  await putSample(id, new Date(NOW), { cpuPct: 20, memUsedMb: 500, memTotalMb: 1000, diskUsedPct: 40 });
  await putPast(id, { from: createdAt, to: new Date(NOW) }, values);
  return id;
}

/** The page of a server with charts of that time. */
export const urlOf = (id: number, range: { from: number; to: number }) =>
  `/dashboard/servers/${id}?${new URLSearchParams(rangeParams(range))}`;
