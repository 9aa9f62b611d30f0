import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { db, type Prisma } from "@/lib/database/client";
import { databaseNow } from "@/lib/database/clock";
import { executeIn, query } from "@/lib/database/run-statement";
import { parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { HOSTNAME_TAKEN, IS_TAKEN } from "@/lib/game-services/hostnames";
import { lockServices, settle, settleAll, settleServices, TIMES } from "@/lib/game-services/settlement";
import { wishOf } from "@/lib/game-services/status";
import { runInBackground } from "@/lib/process/background";
import { perProcess } from "@/lib/process/per-process.mjs";

const gzip = promisify(gzipWithCallback);

/** One service, as the edge nodes receive it. */
export type ConfiguredService = {
  id: number;
  version: number;
  java_hostname: string;
  origin_host: string;
  origin_port: number;
  enabled: boolean;
  /** The origin is told each player's ip. Absent: it is not. */
  proxy_protocol?: "v2";
  /** What players read while the origin is away. Absent: a text of the node. */
  offline_text?: string;
};

/** A service whose new version is not handed out. Nodes keep serving the last version that they could. */
type HeldService = { id: number; version: number; problem: string };

/** A snapshot of the services that edge nodes should serve. */
export class Configuration {
  /** The nodes that are known to lack the services in `gone`. */
  readonly withoutGone = new Set<number>();
  /** Resolves when the services in `unfetched` are stored as fetched. */
  fetched: Promise<void> | null = null;
  #gzipped: Promise<Buffer> | undefined;

  constructor(
    /** A hash of the services: the same on every instance. */
    readonly revision: string,
    /** The body of the answer. */
    readonly json: string,
    /** A hash of the tables. A different hash means that they changed. */
    readonly digest: string,
    /** Its services that no node ever fetched. */
    readonly unfetched: readonly number[],
    /** Services that are being deleted. The configuration leaves them out. */
    readonly gone: readonly number[],
    /** The nodes there were. A request that was held is answered to no others. */
    readonly nodeIds: ReadonlySet<number>,
  ) {}

  /** Compressed once for all nodes. */
  gzipped(): Promise<Buffer> {
    this.#gzipped ??= gzip(this.json);
    return this.#gzipped;
  }
}

const s = table("GameService", "s");
const c = table("HostnameClaim", "c");
const n = table("EdgeNode", "n");

// The query of each second: a hash of everything that the configuration is made of.
const DIGEST = statement(
  {},
  (): Sql<{ digest: string | null }> => ({
    sql: `select md5(string_agg(md5(row(${s.id}, ${s.configVersion}, ${s.javaHostname}, ${s.originHost}, ${s.originPort},
        ${s.sendsRealIps}, ${s.offlineText}, ${s.wish}, case when ${s.wish} is null then ${s.status} end, ${c.serviceId}, ${c.accountId})::text), '' order by ${s.id})) as "digest"
      from ${s} left join ${c} on ${c.hostname} = lower(${s.javaHostname})`,
  }),
);

const isTaken = new Expression<boolean>(IS_TAKEN);
const SERVICES = statement({}, () =>
  select(
    {
      id: s.id,
      configVersion: s.configVersion,
      javaHostname: s.javaHostname,
      originHost: s.originHost,
      originPort: s.originPort,
      sendsRealIps: s.sendsRealIps,
      offlineText: s.offlineText,
      wish: s.wish,
      status: s.status,
      error: s.error,
      firstFetchedAt: s.firstFetchedAt,
      isTaken,
    },
    `from ${s} order by ${s.id}`,
  ),
);

/**
 * Reads the current configuration. Returns `known` itself when nothing changed. Also updates statuses after services became
 * impossible to serve.
 */
export async function readConfiguration(known: Configuration | null): Promise<Configuration> {
  const [row] = await query(DIGEST, {});
  const digest = row?.digest ?? "";
  return known?.digest === digest ? known : readServices(digest);
}

async function readServices(digest: string): Promise<Configuration> {
  const services: ConfiguredService[] = [];
  const held: HeldService[] = [];
  const unfetched: number[] = [];
  const gone: number[] = [];
  const unsettled: number[] = [];
  for (const row of await query(SERVICES, {})) {
    const wish = wishOf(row.wish, row.status);
    if (wish === "gone") {
      if (row.wish === "gone") gone.push(row.id);
      continue;
    }
    const problem = row.isTaken ? HOSTNAME_TAKEN : null;
    // Another service took its hostname, or left it.
    if (problem === null ? row.status === "failed" : row.status !== "failed" || !row.error?.startsWith(problem)) {
      unsettled.push(row.id);
    }
    if (problem !== null) {
      if (wish === "on" && row.firstFetchedAt !== null) held.push({ id: row.id, version: row.configVersion, problem });
      continue;
    }
    if (row.firstFetchedAt === null) unfetched.push(row.id);
    services.push({
      id: row.id,
      version: row.configVersion,
      java_hostname: row.javaHostname,
      origin_host: row.originHost,
      origin_port: row.originPort,
      enabled: wish === "on",
      ...(row.sendsRealIps && { proxy_protocol: "v2" as const }),
      ...(row.offlineText !== null && { offline_text: row.offlineText }),
    });
  }
  if (unsettled.length > 0) runInBackground("services that cannot be served", () => settleServices(unsettled));
  // Without services that are held, the same as before there was such a field.
  const list = JSON.stringify(services) + (held.length > 0 ? `,"held":${JSON.stringify(held)}` : "");
  const revision = createHash("sha256").update(list).digest("hex").slice(0, 32);
  const json = `{"data":{"revision":"${revision}","services":${list}}}`;
  const nodes = await db.edgeNode.findMany({ select: { id: true } });
  const nodeIds = new Set(nodes.map(({ id }) => id));
  return new Configuration(revision, json, digest, unfetched, gone, nodeIds);
}

const FETCHED = statement({ ids: parameter<number[]>("int[]"), now: s.firstFetchedAt }, ({ ids, now }) => ({
  sql: `update ${s} set first_fetched_at = ${now} where ${s.id} = any(${ids}) and ${s.firstFetchedAt} is null`,
}));

/** Services written in one transaction. */
const BATCH = 500;

/** Stores that a node fetched these services. The caller's transaction has locked them. */
export async function markServicesFetched(tx: Prisma.TransactionClient, ids: number[], now: Date): Promise<void> {
  await executeIn(tx, FETCHED, { ids, now });
}

/** Stores, once per configuration, that a node fetched it. Updates the statuses of new services. */
export async function markFetched(configuration: Configuration, now: Date = databaseNow()): Promise<void> {
  configuration.fetched ??= inBatches(configuration.unfetched, now, markServicesFetched);
  try {
    await configuration.fetched;
  } catch (error) {
    configuration.fetched = null;
    throw error;
  }
}

/** Writes something about services and settles them, a batch at a time. */
async function inBatches(
  all: readonly number[],
  now: Date,
  write: (tx: Prisma.TransactionClient, ids: number[], now: Date) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < all.length; start += BATCH) {
    await db.$transaction(async (tx) => {
      const ids = await lockServices(tx, all.slice(start, start + BATCH));
      await write(tx, ids, now);
      await settle(tx, ids, now);
    }, TIMES);
  }
}

const LACKED = statement(
  { ids: parameter<number[]>("int[]"), nodeIds: parameter<number[]>("int[]"), now: parameter<Date>("timestamptz") },
  ({ ids, nodeIds, now }) => ({
    sql: `insert into edge_acknowledgements as k (service_id, node_id, version, error, acknowledged_at)
      select ${s.id}, ${n.id}, ${s.configVersion}, null, ${now} from ${s}, ${n}
      where ${s.id} = any(${ids}) and ${n.id} = any(${nodeIds}) and ${s.wish} = 'gone'
      on conflict (service_id, node_id) do nothing`,
  }),
);

/**
 * Records that these nodes, which fetched this configuration, lack the deleted services that they never acknowledged.
 * Nodes that acknowledged a service report its absence themselves. Deletes services that no live node has any more.
 */
export async function acknowledgeAbsence(
  configuration: Configuration,
  nodeIds: readonly number[],
  now: Date = databaseNow(),
): Promise<void> {
  const { gone, withoutGone } = configuration;
  const newcomers = nodeIds.filter((id) => !withoutGone.has(id));
  if (gone.length === 0 || newcomers.length === 0) return;
  await inBatches(gone, now, async (tx, ids) => {
    await executeIn(tx, LACKED, { ids, nodeIds: newcomers, now });
  });
  for (const id of newcomers) withoutGone.add(id);
}

/**
 * Forgets what a node without a configuration acknowledged of deleted services. Such a node may have lost its disk, and
 * would never report that these services are gone.
 */
export async function forgetGone(configuration: Configuration, nodeId: number): Promise<void> {
  const { gone, withoutGone } = configuration;
  if (gone.length === 0) return;
  await db.edgeAcknowledgement.deleteMany({ where: { nodeId, serviceId: { in: [...gone] } } });
  withoutGone.delete(nodeId);
}

const settling = perProcess("settling", () => ({ isRunning: false, isToRunAgain: false }));

/** Settles all services in the background. Calls during a run share one further run. */
export function settleSoon(): void {
  settling.isToRunAgain = true;
  if (settling.isRunning) return;
  settling.isRunning = true;
  runInBackground("statuses after a change of edge nodes", async () => {
    try {
      while (settling.isToRunAgain) {
        settling.isToRunAgain = false;
        await settleAll();
      }
    } finally {
      settling.isRunning = false;
    }
  });
}
