import { db } from "@/lib/database/client";
import { executeIn } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { type Interval, recordReportedIntervals } from "@/lib/game-services/metrics";
import { ABSENT, lockServices, settle, TIMES } from "@/lib/game-services/settlement";
import { markServicesFetched } from "./configuration";

/** That a node has applied a version of a service, or why it could not; a null version: that it no longer has it. */
export type Acknowledgement = { serviceId: number; version: number | null; error: string | null };

export type EdgeReport = {
  acknowledgements: readonly Acknowledgement[];
  intervals: readonly Omit<Interval, "nodeId">[];
};

/** `stored`: intervals that were not stored before; `dropped`: those of services that are gone or that the node never had. */
export type StoredReport = { stored: number; dropped: number };

const k = table("EdgeAcknowledgement", "k");
const n = table("EdgeNode", "n");
const s = table("GameService", "s");

const VERSION = `coalesce(a.version, case when ${s.wish} = 'gone' then ${s.configVersion} else ${ABSENT} end)`;

// Raw: many rows at once. An older version than one that the node acknowledged before changes nothing, nor does a version
// that was never made. Absence counts as the version that deletes the service, where there is one, and else as none. The
// node is locked against its removal.
const ACKNOWLEDGE = statement(
  { nodeId: n.id, now: k.acknowledgedAt, acknowledgements: parameter<string>("text") },
  ({ nodeId, now, acknowledgements }) => ({
    sql: `with node as (${select({ id: n.id }, `from ${n} where ${n.id} = ${nodeId} for key share`).sql})
      insert into edge_acknowledgements as k (service_id, node_id, version, error, acknowledged_at)
      select ${s.id}, node.id, ${VERSION}, case when a.version is not null then a.error end, ${now}
      from json_to_recordset(${acknowledgements}::json) as a ("serviceId" int, version int, error text)
      join ${s} on ${s.id} = a."serviceId" and (a.version is null or a.version <= ${s.configVersion}) cross join node
      order by ${s.id}
      on conflict (service_id, node_id) do update
        set version = excluded.version, error = excluded.error, acknowledged_at = excluded.acknowledged_at
        where k.version <= excluded.version or excluded.version = ${ABSENT}`,
  }),
);

/** Takes in what a node says. The same report twice changes nothing. */
export async function storeReport(
  nodeId: number,
  { acknowledgements, intervals }: EdgeReport,
  now: Date = new Date(),
): Promise<StoredReport> {
  if (acknowledgements.length > 0) await acknowledge(nodeId, newestOf(acknowledgements), now);
  return recordReportedIntervals(nodeId, intervals);
}

async function acknowledge(nodeId: number, acknowledgements: readonly Acknowledgement[], now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    const ids = await lockServices(
      tx,
      acknowledgements.map(({ serviceId }) => serviceId),
    );
    await executeIn(tx, ACKNOWLEDGE, { nodeId, now, acknowledgements: JSON.stringify(acknowledgements) });
    await markServicesFetched(tx, ids, now);
    await settle(tx, ids, now);
  }, TIMES);
}

/** Of each service what was said last, but for an older version than one that was said before. */
function newestOf(acknowledgements: readonly Acknowledgement[]): Acknowledgement[] {
  const newest = new Map<number, Acknowledgement>();
  for (const one of acknowledgements) {
    const known = newest.get(one.serviceId)?.version ?? null;
    if (one.version === null || known === null || one.version >= known) newest.set(one.serviceId, one);
  }
  return [...newest.values()];
}
