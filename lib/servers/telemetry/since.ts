import { db } from "@/lib/database/client";
import { perProcess } from "@/lib/process/per-process";
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
 * to be summed up for longer than `patience` (ms), or when its latest samples were rated well. It looks back for `lookedBack` (ms).
 */
export async function findUnwellSince(
  serverId: number,
  now: number,
  { patience = PATIENCE, lookedBack = LOOKED_BACK } = {},
): Promise<Since | null> {
  const row = await db.server.findUnique({
    where: { id: serverId },
    select: RATED,
  });
  if (!row) return null;
  const server = toRatedServer(row);
  const young = settledUntil(now);
  const since = await endOfWell(server, young - WELL_FOR, now + 1);
  if (since !== null) return since < now ? { kind: "at", at: since } : null;
  const deadline = Date.now() + patience;
  let read = 0;
  for (let to = young; to > now - lookedBack; to -= DAY) {
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
  const isAll = lookedBack === LOOKED_BACK || server.countsFrom.getTime() >= young - lookedBack;
  return isAll ? { kind: "always" } : { kind: "before", at: young - lookedBack };
}

/** One list finds so many out, and takes so long for it (ms). The others are found out for the next. */
const FOUND_AT_ONCE = 10;
const LIST_PATIENCE = SECOND / 2;
/** A list shows the trends of a day, so these hours are summed up anyway. */
const LIST_LOOKED_BACK = DAY;
/** So many are remembered. */
const MOST_REMEMBERED = 10_000;

/** What was found out, and when (epoch ms), the latest last. */
const remembered = perProcess("unwell-since", () => new Map<number, { since: Since; foundAt: number }>());

/**
 * As `findUnwellSince` within a day, of servers of a list, which are not rated well at `now`: of those that are found out in
 * time. It is not asked again for as long as a server cannot have been well for ten minutes in between.
 */
export async function listUnwellSince(serverIds: readonly number[], now: number): Promise<Map<number, Since>> {
  const listed = new Map<number, Since>();
  const deadline = Date.now() + LIST_PATIENCE;
  let left = FOUND_AT_ONCE;
  for (const id of serverIds) {
    const known = remembered.get(id);
    const isFresh = known !== undefined && now - known.foundAt < WELL_FOR;
    if (!isFresh && (left-- <= 0 || Date.now() >= deadline)) continue;
    const since = isFresh
      ? known.since
      : await findUnwellSince(id, now, { patience: deadline - Date.now(), lookedBack: LIST_LOOKED_BACK });
    remembered.delete(id);
    if (since === null) continue;
    remembered.set(id, { since, foundAt: now });
    listed.set(id, since);
  }
  for (const [id, { foundAt }] of remembered) {
    if (now - foundAt < WELL_FOR && remembered.size <= MOST_REMEMBERED) break;
    remembered.delete(id);
  }
  return listed;
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
