import { db } from "@/lib/database/client";
import { pause, runInBackground } from "@/lib/process/background";
import { perProcess } from "@/lib/process/per-process";
import { toRatedServer } from "@/lib/servers/telemetry/past-scores";
import { lockSamples, ROLL_UP_TRANSACTION, rollUp } from "@/lib/servers/telemetry/roll-ups";
import { DAY, HOUR, MINUTE, startOfHour } from "@/lib/time";

/**
 * How long a server's samples are kept, in milliseconds: the longest history that is shown, and the day that the score of
 * its first hour looks back on, so that all of it can be computed again. The sums of hours stay.
 */
export const SAMPLES_KEPT = 31 * DAY;

/** How much is deleted at a time, while the server's check-ins wait: of a backlog, a day every hour. */
const BATCH = DAY;
/** Between two servers, in milliseconds: this is never urgent. */
const REST = 20;

type Queue = { serverIds: Set<number>; isRunning: boolean };
const queue = perProcess("retention", (): Queue => ({ serverIds: new Set(), isRunning: false }));

/**
 * Whether the check-in at `arrivedAt` is the one after which its server's old samples are deleted: the first of an hour
 * that begins for each server at a minute of its own. Times are epoch ms.
 */
export function isTimeToPrune(serverId: number, lastSeenAt: number, arrivedAt: number): boolean {
  const hourOf = (time: number) => Math.floor((time - (serverId % 60) * MINUTE) / HOUR);
  return hourOf(arrivedAt) !== hourOf(lastSeenAt);
}

/** Deletes what is older than `SAMPLES_KEPT`, one server after the other. What fails is tried again in an hour. */
export function pruneInBackground(serverId: number): void {
  queue.serverIds.add(serverId);
  if (queue.isRunning) return;
  queue.isRunning = true;
  runInBackground("deleting old samples", async () => {
    try {
      for (const id of queue.serverIds) {
        queue.serverIds.delete(id);
        await pruneSamples(id, Date.now());
        if (!(await pause(REST))) return;
      }
    } finally {
      queue.isRunning = false;
    }
  });
}

/**
 * Deletes the oldest samples of a server, at most a day of them, if they are older at `now` (epoch ms) than they are
 * kept: whole hours that are summed up as they stand, and never the latest sample. Whoever writes samples of the server
 * just then comes first. Answers how many are gone.
 */
export async function pruneSamples(serverId: number, now: number): Promise<number> {
  const until = startOfHour(now - SAMPLES_KEPT);
  const server = await db.server.findUnique({
    where: { id: serverId },
    select: {
      id: true,
      createdAt: true,
      facts: true,
      telemetrySamples: {
        select: { ts: true },
        where: { ts: { lt: new Date(until) } },
        orderBy: { ts: "asc" },
        take: 1,
      },
    },
  });
  const first = server?.telemetrySamples[0]?.ts.getTime();
  if (!server || first === undefined) return 0;
  const from = startOfHour(first);
  const to = Math.min(until, from + BATCH);
  if (!(await rollUp(toRatedServer(server), from, to))) return 0;
  return db.$transaction(async (tx) => {
    if (!(await lockSamples(tx, serverId))) return 0;
    const hours = { gte: new Date(from), lt: new Date(to) };
    // Somebody may have written into one of them since: it is summed up again before anything of it goes.
    const settled = await tx.telemetryHour.count({ where: { serverId, hour: hours, stale: false } });
    if (settled < (to - from) / HOUR) return 0;
    const latest = await tx.telemetrySample.findFirst({
      where: { serverId },
      select: { ts: true },
      orderBy: { ts: "desc" },
    });
    const end = Math.min(to, startOfHour(latest?.ts.getTime() ?? from));
    const deleted = await tx.telemetrySample.deleteMany({
      where: { serverId, ts: { gte: hours.gte, lt: new Date(end) } },
    });
    return deleted.count;
  }, ROLL_UP_TRANSACTION);
}
