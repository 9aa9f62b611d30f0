import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { eachMeasurement, type Sample } from "@/lib/servers/telemetry/measurements";
import type { Report } from "@/lib/servers/telemetry/report";
import { type Daemon, DEMO_SERVERS, type DemoServer, type Machine } from "@/prisma/demo/data";
import { between, episodeAt, eveningAt, keyOf, type Range, wanderAt } from "@/prisma/demo/random";

// Times are in epoch milliseconds. What a machine does at a moment is the same whenever it is asked.

/** A server on which the daemon is installed. */
export type Machinery = DemoServer & { daemon: Daemon };

export const MACHINES: readonly Machinery[] = DEMO_SERVERS.filter(
  (server): server is Machinery => server.daemon !== null,
);

/** All demo machines stand in Europe. */
const UTC_OFFSET = 1;

/** One number per curve, so that no two measurements of a machine move alike. */
const CURVE = { cpu: 1, jitter: 2, steal: 3, iowait: 4, load: 5, memory: 6, swap: 7, disk: 8, loss: 9, retransmit: 10 };
const SILENCE = 11;

/** Whether the daemon says nothing just then. */
export function isSilentAt({ hostname, daemon }: Machinery, at: number): boolean {
  const { silence } = daemon.machine;
  return silence !== null && episodeAt(silence, at, keyOf(hostname), SILENCE) !== null;
}

/** What the daemon reports. `previousAt` is the time of its check-in before, `createdAt` of the server's creation. */
export function reportAt(
  { hostname, daemon: { facts, publicIp, machine } }: Machinery,
  { at, previousAt, createdAt }: { at: number; previousAt: number; createdAt: number },
) {
  const key = keyOf(hostname);
  const wander = (curve: number, period: number) => wanderAt(at, period, key, curve);
  const within = (range: Range | null, curve: number, period: number) =>
    range && rounded(between(range, wander(curve, period)));

  const evening = eveningAt((at / HOUR + UTC_OFFSET) % 24);
  const busy = 0.5 * evening + 0.35 * wander(CURVE.cpu, 20 * MINUTE) + 0.15 * wander(CURVE.jitter, MINUTE);
  const cpuPct = between(machine.cpuPct, busy);
  const load =
    (cpuPct / 100) * facts.cores * machine.loadFactor * between([0.85, 1.15], wander(CURVE.load, 5 * MINUTE));
  const memoryPct = between(machine.memoryPct, leakedAt(machine, at) ?? wander(CURVE.memory, 5 * HOUR));
  const described = {
    cpuPct: rounded(cpuPct),
    cpuStealPct: within(machine.cpuStealPct, CURVE.steal, 9 * MINUTE),
    cpuIowaitPct: within(machine.cpuIowaitPct, CURVE.iowait, 13 * MINUTE),
    load5: rounded(load),
    memUsedMb: Math.round((memoryPct / 100) * facts.memory_mb),
    memTotalMb: facts.memory_mb,
    swapUsedPct: within(machine.swapPct, CURVE.swap, 3 * HOUR),
    diskUsedPct: within(machine.diskPct, CURVE.disk, 60 * HOUR),
    netLossPct: within(machine.lossPct, CURVE.loss, 11 * MINUTE),
    netRetransmitPct: within(machine.retransmitPct, CURVE.retransmit, 17 * MINUTE),
    uptimeS: Math.floor((at - startedAt(machine, createdAt, at)) / SECOND),
    oomKills: turnsBetween(machine.outOfMemoryEvery, previousAt, at),
    failedUnits: machine.failedUnits,
  } satisfies Partial<Sample>;
  return { facts, publicIp, sample: { ...othersAt(described, key, at), ...described } } satisfies Report;
}

/** What a machine that says nothing of a percentage reports. */
const USUAL: Range = [5, 60];

/** The measurements that no machine describes: percentages wander, and nothing else is measured. */
function othersAt(described: Partial<Sample>, key: number, at: number): Sample {
  return eachMeasurement((name, { unit }) =>
    unit === "percent" && !(name in described)
      ? rounded(between(USUAL, wanderAt(at, 30 * MINUTE, key, keyOf(name))))
      : null,
  );
}

/** Whether the machine has restarted after `from` and up to `to`. */
export function hasRestarted({ daemon }: Machinery, from: number, to: number): boolean {
  return turnsBetween(daemon.machine.restartsEvery, from, to) > 0;
}

function startedAt({ restartsEvery }: Machine, createdAt: number, at: number): number {
  return restartsEvery === null ? createdAt : at - (at % restartsEvery);
}

/** How much has leaked since a process was killed last, 0 to 1; null for a machine without a leak. */
function leakedAt({ outOfMemoryEvery }: Machine, at: number): number | null {
  return outOfMemoryEvery && (at % outOfMemoryEvery) / outOfMemoryEvery;
}

/** How often a period has begun anew after `from` and up to `to`. */
function turnsBetween(period: number | null, from: number, to: number): number {
  return period === null ? 0 : Math.floor(to / period) - Math.floor(from / period);
}

/** Two decimals, as a daemon reports. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
