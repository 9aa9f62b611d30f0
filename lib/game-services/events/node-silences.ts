import { executeIn, type Transaction } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { MINUTE } from "@/lib/format/time";

/** After this time without a request, in milliseconds, a node is silent. Statuses do not wait for silent nodes. */
export const SILENT_AFTER = 2 * MINUTE;

const n = table("EdgeNode", "n");
const k = table("EdgeAcknowledgement", "k");
const e = table("Event", "e");
const s = table("GameService", "s");
const h = table("Heartbeat", "h");

/** SQL of `SILENT_AFTER`. */
export const SILENCE_INTERVAL = `interval '${SILENT_AFTER} ms'`;
const NODE_ID = `(${e.facts} ->> 'node_id')::int`;

/**
 * SQL of when the silence of node `n` began: after two minutes, and not before the console judged again after its own absence.
 */
export const SILENT_SINCE = `greatest(least(${n.lastHeardAt} + ${SILENCE_INTERVAL}, now()), (select ${h.judgesFrom} from ${h} where ${h.judgesFrom} <= now()))`;

// Raw: many services at once.
const NOTE = statement({ ids: parameter<number[]>("int[]"), now: parameter<Date>("timestamptz") }, ({ ids, now }) => ({
  sql: `with fallen as (
      select ${n.id} as node_id, ${n.name} as name, ${SILENT_SINCE} as since
      from ${n} where not ${n.isLive} and ${n.lastHeardAt} is not null),
    silent as (
      select ${k.serviceId} as service_id, fallen.* from fallen
      join ${k} on ${k.nodeId} = fallen.node_id and ${k.serviceId} = any(${ids}) and ${k.version} >= 0),
    open as (
      select ${e.id} as id, ${e.subjectId} as service_id, ${NODE_ID} as node_id, ${e.startedAt} as since,
        greatest(${e.startedAt}, coalesce(
          (select ${n.unsettledSince} from ${n} where ${n.id} = ${NODE_ID} and ${n.isLive}), ${now})) as until
      from ${e} where ${e.subjectId} = any(${ids}) and ${e.subject} = 'service' and ${e.endedAt} is null
        and ${e.kind} = 'node_silent'),
    over as (
      select open.* from open where not exists (
        select from silent where silent.service_id = open.service_id and silent.node_id = open.node_id)),
    ended as (update ${e} set ${e.endedAt.name} = over.until from over
        where ${e.subjectId} = over.service_id and ${e.id} = over.id)
    insert into events (subject, subject_id, account_id, kind, started_at, facts)
      select 'service', service_id, ${s.accountId}, 'node_silent', since, jsonb_build_object('node', silent.name, 'node_id', node_id)
      from silent join ${s} on ${s.id} = service_id where not exists (
        select from open where open.service_id = silent.service_id and open.node_id = silent.node_id)
      order by service_id, since
    on conflict do nothing`,
}));

/** Writes which edge nodes fell silent for these services, which the transaction has locked, and which were heard again. */
export async function noteNodeSilences(tx: Transaction, ids: readonly number[], now: Date): Promise<void> {
  await executeIn(tx, NOTE, { ids: [...ids], now });
}
