import { db } from "@/lib/database/client";
import { hasReaderLeft } from "@/lib/process/reader.mjs";
import { valueAt } from "@/lib/servers/curve";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { Bands } from "@/lib/servers/telemetry/bands";
import { listMinutes, RATED, type RatedServer, toRatedServer } from "@/lib/servers/telemetry/past-scores";
import { listHours, rollUp, settledUntil } from "@/lib/servers/telemetry/roll-ups";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/time";

/** A server was well when it was rated well for so long without a break. */
const WELL_FOR = 10 * MINUTE;
/** How far back the last such time is looked for: samples are kept that long. */
const LOOKED_BACK = 31 * DAY;
/** Hours whose samples are read, at most. Their sums rule out most of the others. */
const HOURS_READ = 4;
/** A page waits this long for missing sums. */
const PATIENCE = SECOND;

/**
 * Since when a server is not well. `always`: for as long as anything is kept. `before`: since a time before `at` (epoch ms), which
 * was not looked for any further.
 */
export type Since = { kind: "at" | "before"; at: number } | { kind: "always" };

/**
 * Since when a server, which is not rated well at `now` (epoch ms), was last rated well for ten minutes. Null when hours still have
 * to be summed up, or when its latest samples were rated well.
 */
export async function findUnwellSince(serverId: number, now: number): Promise<Since | null> {
  const row = await db.server.findUnique({
    where: { id: serverId },
    select: RATED,
  });
  if (!row) return null;
  const server = toRatedServer(row);
  const young = settledUntil(now);
  const since = await endOfWell(server, young - WELL_FOR, now + 1);
  if (since !== null) return since < now ? { kind: "at", at: since } : null;
  const deadline = Date.now() + PATIENCE;
  let read = 0;
  for (let to = young; to > now - LOOKED_BACK; to -= DAY) {
    const from = to - DAY;
    // A day may be a single statement, which `rollUp` does not cut short.
    if (hasReaderLeft() || Date.now() > deadline) return null;
    if (!(await rollUp(server, from, to, deadline))) return null;
    for (const { hour, bands } of (await listHours(serverId, from, to)).reverse()) {
      if (!mayHaveBeenWell(bands)) continue;
      if (read++ === HOURS_READ) return { kind: "before", at: hour + HOUR };
      const end = await endOfWell(server, hour - WELL_FOR, hour + HOUR);
      if (end !== null) return { kind: "at", at: end };
    }
  }
  return { kind: "always" };
}

/**
 * When the last ten minutes in `[from, to)` (epoch ms) ended that were all rated well: at the next minute, or at `to`. Null:
 * there were none.
 */
async function endOfWell(server: RatedServer, from: number, to: number): Promise<number | null> {
  let end: number | null = null;
  let length = 0;
  for (const { at, isWell } of await listMinutes(server, from, to)) {
    length = isWell ? length + 1 : 0;
    if (length >= WELL_FOR / MINUTE) end = at + MINUTE;
  }
  return end !== null && end >= to ? to : end;
}

const CRITICAL_BELOW = HEALTH_LEVELS[1].from;
const WELL_FROM = HEALTH_LEVELS[0].from;

/** Whether one moment of an hour can have been rated well: with its greatest score, and its least use of what is scarce. */
function mayHaveBeenWell({ score, cpuPct, memUsedPct, diskUsedPct }: Bands): boolean {
  const used = [
    [COMPONENT_CURVES.cpuPct, cpuPct],
    [COMPONENT_CURVES.memoryPct, memUsedPct],
    [COMPONENT_CURVES.diskPct, diskUsedPct],
  ] as const;
  return (
    score !== undefined &&
    score.greatest >= WELL_FROM &&
    used.every(([curve, band]) => band === undefined || valueAt(curve, band.least) >= CRITICAL_BELOW)
  );
}
