import { db, type Prisma } from "@/lib/database/client";
import { executeIn } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { type Reported, recordReportedIntervals } from "@/lib/game-services/metrics";
import { ABSENT, lockServices, settle, TIMES } from "@/lib/game-services/settlement";
import { markServicesFetched } from "./configuration";

/** A node applied a version of a service, or failed with `error`. A null version: it no longer has the service. */
export type Acknowledgement = {
  serviceId: number;
  version: number | null;
  error: string | null;
  /** The version that players reach. Null when none, or when an older program does not say. */
  servingVersion?: number | null;
  /** What the owner should know although the version is applied. Does not change the status. */
  warning?: string | null;
};

export type EdgeReport = {
  acknowledgements: readonly Acknowledgement[];
  intervals: readonly Reported[];
  /** What the node refused before it belonged to a service. `ts`: when the minute begins, in epoch milliseconds. */
  nodeMinutes?: readonly { ts: number; refused: number }[];
};

/** `stored` counts new intervals. `dropped` counts intervals of deleted services or of services the node never had. */
type StoredReport = { stored: number; dropped: number };

const k = table("EdgeAcknowledgement", "k");
const n = table("EdgeNode", "n");
const s = table("GameService", "s");

const VERSION = `coalesce(a.version, case when ${s.wish} = 'gone' then ${s.configVersion} else ${ABSENT} end)`;

/** A column of an acknowledgement; null where the node no longer has the service. */
const ofPresent = (column: string) => `case when a.version is not null then a.${column} end`;

// Raw: many rows at once. Ignores versions older than the node's last acknowledged one, and versions that do not exist
// yet. Absence counts as the newest version while the service is being deleted, else as ABSENT. Locks the node, so that
// it cannot be removed meanwhile.
const ACKNOWLEDGE = statement(
  { nodeId: n.id, now: k.acknowledgedAt, acknowledgements: parameter<string>("text") },
  ({ nodeId, now, acknowledgements }) => ({
    sql: `with node as (${select({ id: n.id }, `from ${n} where ${n.id} = ${nodeId} for key share`).sql})
      insert into edge_acknowledgements as k
        (service_id, node_id, version, error, serving_version, warning, acknowledged_at)
      select ${s.id}, node.id, ${VERSION}, ${ofPresent("error")}, ${ofPresent('"servingVersion"')},
        ${ofPresent("warning")}, ${now}
      from json_to_recordset(${acknowledgements}::json)
        as a ("serviceId" int, version int, error text, "servingVersion" int, warning text)
      join ${s} on ${s.id} = a."serviceId" and (a.version is null or a.version <= ${s.configVersion}) cross join node
      order by ${s.id}
      on conflict (service_id, node_id) do update
        set version = excluded.version, error = excluded.error, serving_version = excluded.serving_version,
          warning = excluded.warning, acknowledged_at = excluded.acknowledged_at
        where k.version <= excluded.version or excluded.version = ${ABSENT}`,
  }),
);

// Raw: many rows at once. A minute that is reported twice counts once.
const REFUSED = statement({ nodeId: n.id, minutes: parameter<string>("text") }, ({ nodeId, minutes }) => ({
  sql: `insert into edge_node_minutes as u (node_id, ts, refused)
    select ${n.id}, to_timestamp(minute.ts / 1000.0), max(minute.refused)
    from ${n}, json_to_recordset(${minutes}::json) as minute (ts bigint, refused bigint)
    where ${n.id} = ${nodeId} group by ${n.id}, minute.ts order by minute.ts
    on conflict (node_id, ts) do update set refused = greatest(u.refused, excluded.refused)`,
}));

/**
 * Stores the report of a node, whole or not at all. Idempotent.
 * @throws OverLineError when its intervals of a minute, earlier reports included, are more than its line carries.
 */
export async function storeReport(
  nodeId: number,
  { acknowledgements, intervals, nodeMinutes = [] }: EdgeReport,
  now: Date,
): Promise<StoredReport> {
  if (acknowledgements.length + intervals.length + nodeMinutes.length === 0) return { stored: 0, dropped: 0 };
  return db.$transaction(async (tx) => {
    if (acknowledgements.length > 0) await acknowledge(tx, nodeId, newestOf(acknowledgements), now);
    if (nodeMinutes.length > 0) await executeIn(tx, REFUSED, { nodeId, minutes: JSON.stringify(nodeMinutes) });
    return recordReportedIntervals(tx, nodeId, intervals);
  }, TIMES);
}

async function acknowledge(
  tx: Prisma.TransactionClient,
  nodeId: number,
  acknowledgements: readonly Acknowledgement[],
  now: Date,
): Promise<void> {
  const ids = await lockServices(
    tx,
    acknowledgements.map(({ serviceId }) => serviceId),
  );
  await executeIn(tx, ACKNOWLEDGE, { nodeId, now, acknowledgements: JSON.stringify(acknowledgements) });
  await markServicesFetched(tx, ids, now);
  await settle(tx, ids, now);
}

/** The last acknowledgement of each service. Skips versions older than an earlier one in the list. */
function newestOf(acknowledgements: readonly Acknowledgement[]): Acknowledgement[] {
  const newest = new Map<number, Acknowledgement>();
  for (const one of acknowledgements) {
    const known = newest.get(one.serviceId)?.version ?? null;
    if (one.version === null || known === null || one.version >= known) newest.set(one.serviceId, one);
  }
  return [...newest.values()];
}
