import { setTimeout as wait } from "node:timers/promises";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND, startOfHour } from "@/lib/format/time";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { DEMO_SERVERS, OF_THE_DEMO } from "./data";
import { type DemoMachine, LEAKS_EVERY, momentOf, RESTARTS_EVERY, writeEvents, writeSamples } from "./history";
import { sampleAt } from "./machines";
import { runNodes, writeTraffic } from "./traffic";

/** Each running machine checks in this often, one after the other. */
const CHECK_IN_EVERY = 30 * SECOND;
/** Edge nodes look for a new configuration this often. */
const NODES_EVERY = 3 * SECOND;
/** After a longer pause, what the machines measured meanwhile is written as well. */
const PAUSE = 3 * MINUTE;
/** Requests have their turn between two parts of the past. */
const BETWEEN_PARTS = SECOND / 20;
/** How much of the past a new demo writes, and of this with a sample a minute, and with traffic. */
const PAST = 31 * DAY;
const EACH_MINUTE = 2 * DAY;
const WITH_TRAFFIC = 7 * DAY;

/** The machines of the demo that nobody has removed. `builtAt`: when the demo was built. */
export async function demoMachines(builtAt: Date): Promise<DemoMachine[]> {
  const rows = await db.server.findMany({ where: OF_THE_DEMO, select: { id: true, hostname: true } });
  return DEMO_SERVERS.flatMap(({ hostname, machine }) => {
    const id = rows.find((row) => row.hostname === hostname)?.id;
    const until = machine?.hasStopped ? new Date(builtAt.getTime() - 3 * HOUR) : null;
    return machine && id !== undefined ? { id, machine, until } : [];
  });
}

/** Checks in for the daemon of a machine, unless that daemon is silent just then. */
export async function checkIn(machine: DemoMachine, now: Date): Promise<void> {
  const [id, at] = [machine.id, now.getTime()];
  const moment = await momentOf(machine, at);
  // A daemon keeps its key until that key ends.
  const keys = { where: { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }, orderBy: { id: "asc" as const } };
  const row = await db.server.findUnique({ where: { id }, select: { createdAt: true, lastSeenAt: true, keys } });
  if (!row || (!moment && row.lastSeenAt !== null)) return;
  const { facts, publicIp, habit } = machine.machine;
  const startedAt = habit === "falls silent and restarts" ? at - (at % RESTARTS_EVERY) : row.createdAt.getTime();
  const killsUpTo = (time: number) => (habit === "leaks memory" ? Math.floor(time / LEAKS_EVERY) : 0);
  const sample = {
    ...sampleAt(machine.machine, moment ?? { busy: 0.5, filled: 0.5 }),
    uptimeS: Math.floor((at - startedAt) / SECOND),
    oomKills: killsUpTo(at) - killsUpTo(Number(row.lastSeenAt ?? now)),
  };
  const [key] = row.keys;
  const arrival = { sampledAt: now, arrivedAt: now, ...(key && { key: { id: key.id, ip: publicIp } }) };
  await storeCheckIn(id, { facts, publicIp, sample }, arrival);
}

/** Where the minute of the clock begins that a check-in of `now` belongs to: what is written of the past ends before it. */
export function thisMinute(now: Date): Date {
  return new Date(Math.floor(now.getTime() / MINUTE) * MINUTE);
}

/** Where the last whole hour of the clock begins. */
export function lastHour(now: Date): Date {
  return new Date(startOfHour(now.getTime()) - HOUR);
}

/** Writes what is missing since the demo ran last, at most a day: every finished minute. In a new demo, of the last hour. */
export async function catchUp(machines: readonly DemoMachine[], now: Date): Promise<void> {
  const until = thisMinute(now);
  const { _max } = await db.metricSample.aggregate({ where: { service: OF_THE_DEMO }, _max: { ts: true } });
  const from = _max.ts ? new Date(Math.max(_max.ts.getTime(), until.getTime() - DAY)) : lastHour(now);
  if (now.getTime() - from.getTime() > PAUSE) await writeSamples(machines, { from, until });
  await writeTraffic({ from, until });
}

/** Writes what a new demo leaves for later, a part at each call, the newest first, until it answers true. */
function writePast(builtAt: Date): () => Promise<boolean> {
  const newest = lastHour(builtAt).getTime();
  const oldest = new Date(newest - PAST);
  let at = newest;
  return async () => {
    const machines = await demoMachines(builtAt);
    // An interrupted demo begins again at its next start.
    const unfinished = { id: { in: machines.map(({ id }) => id) }, firstSeenAt: { gt: oldest } };
    if ((await db.server.count({ where: unfinished })) === 0) return true;
    if (at === newest) await writeEvents(machines, { from: oldest, until: builtAt });
    const age = newest - at;
    const period = { from: new Date(at - (age < WITH_TRAFFIC ? HOUR : DAY)), until: new Date(at) };
    await writeSamples(machines, period, age < EACH_MINUTE ? "1 minute" : "30 minutes");
    if (age < WITH_TRAFFIC) await writeTraffic(period);
    at = period.from.getTime();
    if (at <= oldest.getTime()) await db.server.updateMany({ where: unfinished, data: { firstSeenAt: oldest } });
    return false;
  };
}

/** Keeps the demo alive until it is stopped. Stopping waits only for the running statement. */
export function startSimulator(builtAt: Date): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = async () => (await demoMachines(builtAt)).filter(({ until }) => until === null);
  const turn = CHECK_IN_EVERY / DEMO_SERVERS.filter(({ machine }) => machine && !machine.hasStopped).length;
  let turns = 0;
  // Runs a task every so many milliseconds, until it answers true. Of failures one after the other the first is said. Prisma's
  // errors begin with the call that failed, and end with why.
  const repeat = async (what: string, every: number, task: (now: Date) => Promise<unknown>): Promise<void> => {
    let fails = false;
    while (await wait(fails ? Math.max(every, SECOND) : every, true, { signal }).catch(() => false)) {
      try {
        if ((await task(new Date())) === true) return;
        fails = false;
      } catch (error) {
        if (!fails) console.error(`The demo fails at ${what}: ${String(error).trim().split("\n").at(-1)?.trim()}`);
        fails = true;
      }
    }
  };
  const loops = Promise.all([
    repeat("check-ins", turn, async (now) => {
      const machines = await running();
      const machine = machines[turns++ % machines.length];
      if (machine) await checkIn(machine, now);
    }),
    repeat("edge nodes", NODES_EVERY, runNodes),
    repeat("traffic", MINUTE, async (now) => catchUp(await running(), now)),
    // The embedded database has no autovacuum: without this the space of deleted rows is never used again. PostgreSQL cannot
    // prepare it, so it is no declared statement.
    repeat("tidying", HOUR, () => db.$executeRaw`vacuum telemetry_samples, metric_samples`),
    repeat("writing the past", BETWEEN_PARTS, writePast(builtAt)),
  ]);
  return {
    async stop() {
      stopping.abort();
      await loops;
    },
  };
}
