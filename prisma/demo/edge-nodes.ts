import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import {
  acknowledgeAbsence,
  type Configuration,
  type ConfiguredService,
  markFetched,
  readConfiguration,
} from "@/lib/game-services/edges/configuration";
import { addNode, markHeard } from "@/lib/game-services/edges/nodes";
import { type Acknowledgement, storeReport } from "@/lib/game-services/edges/reports";
import { findLatestInterval, type Interval, recordIntervals } from "@/lib/game-services/metrics";
import { settleAll } from "@/lib/game-services/settlement";
import { DEMO_SERVICES, type DemoService, EDGE_NODES, type EdgeNode } from "@/prisma/demo/data";
import { keyOf } from "@/prisma/demo/random";
import { intervalAt, isNodeDownAt } from "@/prisma/demo/traffic";

/** The longest range of metrics. */
const REACH = 7 * DAY;
/** Nodes report intervals up to this age. Older intervals are written directly. */
const REPORTED = 2 * HOUR - 5 * MINUTE;

let known: Configuration | null = null;
/** The versions that each node has applied, by node. */
const applied = new Map<number, Map<number, number>>();

/**
 * Runs one round of all edge nodes. Each fetches the configuration, applies new versions and acknowledges them, by the same
 * functions that serve real nodes. A node that is down does nothing, unless `isFirst`.
 */
export async function runNodes(now: Date, isFirst = false): Promise<void> {
  known = await readConfiguration(known, now);
  const services = (JSON.parse(known.json) as { data: { services: ConfiguredService[] } }).data.services;
  for (const node of EDGE_NODES) {
    if (!isFirst && isNodeDownAt(node, minuteOf(now))) continue;
    const id = await ensureNode(node);
    const row = await db.edgeNode.findUniqueOrThrow({
      where: { id },
      select: { id: true, name: true, isLive: true, lastHeardAt: true },
    });
    const heard = { ...row, lastHeardAt: row.lastHeardAt?.getTime() ?? null };
    if (await markHeard(heard, { ip: node.ip, agent: "demo" }, now)) await settleAll(now);
    await markFetched(known, now);
    const acknowledgements = newsOf(id, services);
    if (acknowledgements.length > 0) await storeReport(id, { acknowledgements, intervals: [] }, now);
    await acknowledgeAbsence(known, [id], now);
  }
}

/** The id of a node in this database, which gets it when it is not there yet. */
async function ensureNode({ name }: EdgeNode): Promise<number> {
  const row = await db.edgeNode.findUnique({ where: { name }, select: { id: true } });
  if (row) return row.id;
  const added = await addNode(name);
  if (added.kind === "added") return added.id;
  throw new Error(added.message);
}

/** What a node has to say since its last round. */
function newsOf(nodeId: number, services: readonly ConfiguredService[]): Acknowledgement[] {
  const before = applied.get(nodeId) ?? new Map<number, number>();
  const known = services.filter(isKnown);
  const after = new Map(known.map(({ id, version }) => [id, version]));
  applied.set(nodeId, after);
  const gone = [...before.keys()].filter((id) => !after.has(id));
  return [
    ...known.flatMap((service) => (before.get(service.id) === service.version ? [] : wordOf(service))),
    ...gone.map((serviceId) => ({ serviceId, version: null, error: null })),
  ];
}

/** The demo service as it is seeded; undefined once a user has changed it. */
function seeded({ java_hostname, version }: ConfiguredService): DemoService | undefined {
  return DEMO_SERVICES.find((one) => one.javaHostname === java_hostname && one.configVersion === version);
}

/** Nodes say nothing of demo services that wait for them, so that these go on waiting until a user changes them. */
function isKnown(service: ConfiguredService): boolean {
  return ["active", "disabled", "failed", undefined].includes(seeded(service)?.status);
}

/** A demo service that failed goes on failing: nodes keep the version before. */
function wordOf(service: ConfiguredService): Acknowledgement {
  const { id: serviceId, version, enabled } = service;
  const failed = seeded(service)?.status === "failed";
  const error = failed ? (seeded(service)?.error ?? null) : null;
  return { serviceId, version, error, servingVersion: failed ? version - 1 : enabled ? version : null };
}

/** The edge nodes report every finished minute of a service since the last stored one; of a new service, the last hour. */
export async function reportIntervals(service: DemoService, now: Date): Promise<void> {
  const row = await findReported(service);
  if (!row) return;
  const until = lastMinuteOf(row, now);
  // The latest minute is reported again, because an interrupted write may lack some nodes.
  const latest = await findLatestInterval(row.id);
  const from = Math.max(earliestMinuteOf(row, now), latest === null ? until - HOUR / MINUTE : minuteOf(latest));
  for (const node of EDGE_NODES) {
    const nodeId = await ensureNode(node);
    await deliver(intervalsOf(row, node, nodeId, from, until), nodeId, now);
  }
}

/**
 * Writes the intervals that a new demo leaves for later. The newest come first, so that an interrupted demo goes on where
 * it stopped.
 */
export async function writePastIntervals(service: DemoService, now: Date, signal: AbortSignal): Promise<void> {
  const row = await findReported(service);
  if (!row) return;
  const earliest = await db.metricSample.findFirst({
    where: { serviceId: row.id },
    select: { ts: true },
    orderBy: { ts: "asc" },
  });
  const first = earliestMinuteOf(row, now);
  for (let until = minuteOf(earliest?.ts ?? 0); until > first && !signal.aborted; until -= PAST_AT_ONCE) {
    const from = Math.max(first, until - PAST_AT_ONCE);
    const intervals: Interval[] = [];
    for (const node of EDGE_NODES) intervals.push(...intervalsOf(row, node, await ensureNode(node), from, until));
    await recordIntervals(intervals);
  }
}

/** How many minutes of all nodes one statement writes. Requests of the demo wait for it. */
const PAST_AT_ONCE = HOUR / MINUTE;

type Reported = {
  id: number;
  status: string;
  createdAt: Date;
  updatedAt: Date;
  source: Parameters<typeof intervalAt>[0];
};

/** A service of the demo that has traffic; null when somebody has removed it. */
async function findReported({ traffic, javaHostname, owner }: DemoService): Promise<Reported | null> {
  if (!traffic) return null;
  const row = await db.gameService.findFirst({
    where: { account: { email: owner }, javaHostname },
    select: { id: true, status: true, createdAt: true, updatedAt: true },
  });
  return row && { ...row, source: { serviceId: row.id, key: keyOf(javaHostname), traffic } };
}

/** The end of the traffic. A service that is not active has had none since it came into its status. */
function lastMinuteOf({ status, updatedAt }: Reported, now: Date): number {
  return minuteOf(status === "active" ? now : updatedAt);
}

function earliestMinuteOf({ createdAt }: Reported, now: Date): number {
  return Math.max(minuteOf(now.getTime() - REACH) + 1, minuteOf(createdAt));
}

/** What a node counted from one minute to another, the last one left out. */
function intervalsOf({ source }: Reported, node: EdgeNode, nodeId: number, from: number, until: number): Interval[] {
  const minutes = Array.from({ length: Math.max(0, until - from) }, (_, index) => from + index);
  return minutes.flatMap((minute) => {
    const interval = intervalAt(source, node, minute);
    return interval ? { ...interval, nodeId } : [];
  });
}

async function deliver(intervals: readonly Interval[], nodeId: number, now: Date): Promise<void> {
  const isPast = ({ ts }: Interval) => ts < now.getTime() - REPORTED;
  await recordIntervals(intervals.filter(isPast));
  const recent = intervals.filter((interval) => !isPast(interval));
  if (recent.length > 0) await storeReport(nodeId, { acknowledgements: [], intervals: recent }, now);
}

/** Minutes since the epoch. */
function minuteOf(time: Date | number): number {
  return Math.floor(Number(time) / MINUTE);
}
