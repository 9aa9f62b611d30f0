import { setTimeout as wait } from "node:timers/promises";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { checkIn } from "@/prisma/demo/daemons";
import { DEMO_ACCOUNTS, DEMO_SERVICES } from "@/prisma/demo/data";
import { reportIntervals, runNodes } from "@/prisma/demo/edge-nodes";
import { MACHINES } from "@/prisma/demo/machines";
import { writeWholePast } from "@/prisma/demo/seed";

/** Each running server checks in this often, one after the other. */
const CHECK_IN_EVERY = 30 * SECOND;
/** Edge nodes look for a new configuration this often. */
const NODES_EVERY = 3 * SECOND;
/** Edge nodes report a minute this long after its end. */
const REPORT_DELAY = 2 * SECOND;
const TIDY_EVERY = HOUR;
/** How long rows are kept. No query looks back further. */
const KEPT = 8 * DAY;

const OF_THE_DEMO = { account: { email: { in: DEMO_ACCOUNTS.map(({ email }) => email) } } };

const RUNNING = MACHINES.filter(({ daemon }) => daemon.state === "running");

/** Makes up for the time in which no simulator ran. */
export async function backfill(now: Date = new Date()): Promise<void> {
  await tidy(now);
  for (const server of RUNNING) await checkIn(server, now);
  await runNodes(now, true);
  await reportAllIntervals(now);
}

/**
 * Keeps the demo alive until it is stopped. Stopping waits only for the running statement. A failure (the database is
 * away, say) is said once, and the missing data is added once it works again.
 */
export function startSimulator(): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const attempt = logFailuresOnce();
  const turn = CHECK_IN_EVERY / RUNNING.length;
  const loops = Promise.all([
    repeat({ every: turn, after: 0 }, stopping.signal, async (now) => {
      const server = RUNNING[Math.floor(now.getTime() / turn) % RUNNING.length];
      if (server) {
        await attempt(`check-in of ${server.hostname}`, async () => checkIn(server, now));
      }
    }),
    repeat({ every: NODES_EVERY, after: 0 }, stopping.signal, (now) => attempt("edge nodes", () => runNodes(now))),
    repeat({ every: MINUTE, after: REPORT_DELAY }, stopping.signal, (now) =>
      attempt("intervals", async () => reportAllIntervals(now)),
    ),
    repeat({ every: TIDY_EVERY, after: 0 }, stopping.signal, (now) => attempt("tidying", () => tidy(now))),
    attempt("writing the past", async () => {
      await writeWholePast(new Date(), stopping.signal);
    }),
  ]);
  return {
    async stop() {
      stopping.abort();
      await loops;
    },
  };
}

async function reportAllIntervals(now: Date): Promise<void> {
  for (const service of DEMO_SERVICES) await reportIntervals(service, now);
}

/** Deletes what no query can reach any more, so that the demo does not grow for ever. */
async function tidy(now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT);
  for (const { id: serviceId } of await db.gameService.findMany({ where: OF_THE_DEMO, select: { id: true } })) {
    await db.metricSample.deleteMany({ where: { serviceId, ts: { lt: before } } });
  }
  // Their hours stay.
  for (const { id: serverId } of await db.server.findMany({ where: OF_THE_DEMO, select: { id: true } })) {
    await db.telemetrySample.deleteMany({ where: { serverId, at: { lt: before } } });
  }
  // The embedded database has no autovacuum, so without this the space of deleted rows is never reused. It is no declared
  // statement, because PostgreSQL cannot prepare `vacuum`.
  await db.$executeRaw`vacuum telemetry_samples, metric_samples`;
}

/** Runs the task whenever the clock passes a multiple of `every` plus `after` (both in ms), until the signal. */
async function repeat(
  { every, after }: { every: number; after: number },
  signal: AbortSignal,
  task: (now: Date) => Promise<void>,
): Promise<void> {
  let last = Date.now();
  while (!signal.aborted) {
    const next = (Math.floor((last - after) / every) + 1) * every + after;
    // Rejects when the signal comes; the loop ends then anyway.
    await wait(next - Date.now(), undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await task(new Date(next));
    // A timer can fire a little early. Turns that a long task or a sleeping laptop missed are skipped.
    last = Math.max(next, Date.now());
  }
}

/** Runs tasks by name. If failures overlap, only the first is said, and then the end of the last. */
function logFailuresOnce(): (what: string, task: () => Promise<void>) => Promise<void> {
  const failing = new Set<string>();
  return async (what, task) => {
    try {
      await task();
      if (failing.delete(what) && failing.size === 0) console.error("The machines of the demo report again.");
    } catch (error) {
      if (failing.size === 0)
        console.error(`The machines of the demo do not report (${what}: ${reasonOf(error)}). They go on trying.`);
      failing.add(what);
    }
  };
}

/** Prisma's errors begin with the call that failed, and end with why. */
function reasonOf(error: unknown): string {
  return String(error).trim().split("\n").at(-1)?.trim() ?? "";
}
