import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { db } from "@/lib/database/client";
import { executeIn, parameter, query, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { IS_TAKEN } from "@/lib/game-services/hostnames";
import { lockServices, problemOf, settle, settleAll, settleServices, TIMES } from "@/lib/game-services/settlement";
import { wishOf } from "@/lib/game-services/status";
import { runInBackground } from "@/lib/process/background";
import { SECOND } from "@/lib/time";
import { markSilent, SILENT_AFTER } from "./nodes";

const gzip = promisify(gzipWithCallback);

/** One service as the edge nodes are told of it. */
export type ConfiguredService = {
  id: number;
  version: number;
  java_hostname: string;
  origin_host: string;
  origin_port: number;
  enabled: boolean;
};

/** Everything that edge nodes are to do, as it was at one moment. */
export class Configuration {
  /** Services of which no node was ever given the configuration. */
  unfetched: readonly number[];
  /** The nodes that are known to lack `gone`. */
  readonly withoutGone = new Set<number>();
  #gzipped: Promise<Buffer> | undefined;

  constructor(
    /** A hash of the services: the same on every instance. */
    readonly revision: string,
    /** The body of the answer. */
    readonly json: string,
    /** What tells that the tables have changed since. */
    readonly digest: string,
    { unfetched, gone }: { unfetched: readonly number[]; gone: readonly number[] },
  ) {
    this.unfetched = unfetched;
    this.gone = gone;
  }

  /** Services that are being deleted, and so not in it. */
  readonly gone: readonly number[];

  /** Compressed once for all nodes. */
  gzipped(): Promise<Buffer> {
    this.#gzipped ??= gzip(this.json);
    return this.#gzipped;
  }
}

const s = table("GameService", "s");
const c = table("HostnameClaim", "c");
const n = table("EdgeNode", "n");

/** A change that nobody settled for so long broke off. */
const UNSETTLED_FOR = 10 * SECOND;

// The query of each second: a hash of everything that the configuration is made of, and whether a node fell silent.
const DIGEST = statement(
  { silentBefore: n.lastHeardAt, unsettledBefore: n.unsettledSince },
  ({
    silentBefore,
    unsettledBefore,
  }): Sql<{ digest: string | null; isNodeSilent: boolean; isUnsettled: boolean }> => ({
    sql: `select
      (select md5(string_agg(md5(row(${s.id}, ${s.configVersion}, ${s.javaHostname}, ${s.originHost}, ${s.originPort},
          ${s.wish}, case when ${s.wish} is null then ${s.status} end, ${c.serviceId})::text), '' order by ${s.id}))
        from ${s} left join ${c} on ${c.hostname} = lower(${s.javaHostname})) as "digest",
      exists (select from ${n} where ${n.isLive} and ${n.lastHeardAt} <= ${silentBefore}) as "isNodeSilent",
      exists (select from ${n} where ${n.unsettledSince} <= ${unsettledBefore}) as "isUnsettled"`,
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
 * The configuration as it is now; `known` itself when nothing has changed since. Notices nodes that fell silent, and
 * services that cannot be served, and has their statuses written.
 */
export async function readConfiguration(known: Configuration | null, now: Date = new Date()): Promise<Configuration> {
  const silentBefore = new Date(now.getTime() - SILENT_AFTER);
  const unsettledBefore = new Date(now.getTime() - UNSETTLED_FOR);
  const [row] = await query(DIGEST, { silentBefore, unsettledBefore });
  if (row?.isNodeSilent) runInBackground("silent edge nodes", async () => (await markSilent(now)) && settleSoon());
  else if (row?.isUnsettled) settleSoon();
  const digest = row?.digest ?? "";
  return known?.digest === digest ? known : readServices(digest);
}

async function readServices(digest: string): Promise<Configuration> {
  const services: ConfiguredService[] = [];
  const unfetched: number[] = [];
  const gone: number[] = [];
  const unsettled: number[] = [];
  for (const row of await query(SERVICES, {})) {
    const wish = wishOf(row.wish, row.status);
    if (wish === "gone") {
      if (row.wish === "gone") gone.push(row.id);
      continue;
    }
    const problem = problemOf(row);
    // It came or went without anybody here knowing of it.
    if (problem === null ? row.status === "failed" : row.status !== "failed" || row.error !== problem) {
      unsettled.push(row.id);
    }
    if (problem !== null) continue;
    if (row.firstFetchedAt === null) unfetched.push(row.id);
    services.push({
      id: row.id,
      version: row.configVersion,
      java_hostname: row.javaHostname,
      origin_host: row.originHost,
      origin_port: row.originPort,
      enabled: wish === "on",
    });
  }
  if (unsettled.length > 0) runInBackground("services that cannot be served", () => settleServices(unsettled));
  const list = JSON.stringify(services);
  const revision = createHash("sha256").update(list).digest("hex").slice(0, 32);
  const json = `{"data":{"revision":"${revision}","services":${list}}}`;
  return new Configuration(revision, json, digest, { unfetched, gone });
}

const FETCHED = statement({ ids: parameter<number[]>("int[]"), now: s.firstFetchedAt }, ({ ids, now }) => ({
  sql: `update ${s} set first_fetched_at = ${now} where ${s.id} = any(${ids}) and ${s.firstFetchedAt} is null`,
}));

/** Writes that a node is given these services for the first time. Their statuses follow. */
export async function markFetched(configuration: Configuration, now: Date = new Date()): Promise<void> {
  const { unfetched } = configuration;
  for (let start = 0; start < unfetched.length; start += MARKED_AT_ONCE) {
    const some = unfetched.slice(start, start + MARKED_AT_ONCE);
    await db.$transaction(async (tx) => {
      const ids = await lockServices(tx, some);
      await executeIn(tx, FETCHED, { ids, now });
      await settle(tx, ids, now);
    }, TIMES);
  }
  configuration.unfetched = [];
}

const MARKED_AT_ONCE = 500;

const LACKED = statement(
  { ids: parameter<number[]>("int[]"), nodeIds: parameter<number[]>("int[]"), now: parameter<Date>("timestamptz") },
  ({ ids, nodeIds, now }) => ({
    sql: `insert into edge_acknowledgements as k (service_id, node_id, version, error, acknowledged_at)
      select ${s.id}, ${n.id}, ${s.configVersion}, null, ${now} from ${s}, ${n}
      where ${s.id} = any(${ids}) and ${n.id} = any(${nodeIds}) and ${s.wish} = 'gone'
      on conflict (service_id, node_id) do update
        set version = excluded.version, error = null, acknowledged_at = excluded.acknowledged_at`,
  }),
);

/**
 * Takes in that these nodes have applied a configuration: the services that are gone from it are gone from the nodes. The
 * rows of services that no live node has any more are deleted.
 */
export async function acknowledgeAbsence(
  configuration: Configuration,
  nodeIds: readonly number[],
  now: Date = new Date(),
): Promise<void> {
  const { gone, withoutGone } = configuration;
  const newcomers = nodeIds.filter((id) => !withoutGone.has(id));
  if (gone.length === 0 || newcomers.length === 0) return;
  for (let start = 0; start < gone.length; start += MARKED_AT_ONCE) {
    const some = gone.slice(start, start + MARKED_AT_ONCE);
    await db.$transaction(async (tx) => {
      const ids = await lockServices(tx, some);
      await executeIn(tx, LACKED, { ids, nodeIds: newcomers, now });
      await settle(tx, ids, now);
    }, TIMES);
  }
  for (const id of newcomers) withoutGone.add(id);
}

let isSettling = false;
let isToSettleAgain = false;

/** Has all services settled in the background, once for all who ask while it runs. */
export function settleSoon(): void {
  isToSettleAgain = true;
  if (isSettling) return;
  isSettling = true;
  runInBackground("statuses after a change of edge nodes", async () => {
    try {
      while (isToSettleAgain) {
        isToSettleAgain = false;
        await settleAll();
      }
    } finally {
      isSettling = false;
    }
  });
}
