import { executeIn, type Transaction } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { SILENT_SINCE } from "./node-silences";

// A game service that was active, and that no live edge node has any more. Its status stays as it was, because no node says
// anything else. The event begins when nodes fall silent or are removed, and ends with the word of a live node.

const s = table("GameService", "s");
const n = table("EdgeNode", "n");
const k = table("EdgeAcknowledgement", "k");
const e = table("Event", "e");

const TIMES = { ids: parameter<number[]>("int[]"), now: parameter<Date>("timestamptz") };
/** SQL: the event goes on, of service `s`. */
export const IS_UNSERVED = `exists (select from ${e}
  where ${e.subjectId} = ${s.id} and ${e.subject} = 'service' and ${e.endedAt} is null and ${e.kind} = 'unserved')`;
const OF_LIFE = "'pending_config', 'active', 'disabled', 'deleting'";

// Raw: many services at once. Where no silence is news, a node was removed. A service of another program counts once a node had it.
const BEGIN = statement(TIMES, ({ ids, now }) => ({
  sql: `with fallen as (
      select ${n.id} as node_id, ${SILENT_SINCE} as since, ${n.unsettledSince} is not null as is_news
      from ${n} where not ${n.isLive} and ${n.lastHeardAt} is not null)
    insert into events (subject, subject_id, account_id, kind, started_at)
      select 'service', ${s.id}, ${s.accountId}, 'unserved', coalesce((
        select max(fallen.since) from fallen
        join ${k} on ${k.nodeId} = fallen.node_id and ${k.serviceId} = ${s.id} and ${k.version} >= 0
        having bool_or(is_news)), ${now})
      from ${s} where ${s.id} = any(${ids}) and not ${IS_UNSERVED}
        and not exists (
          select from ${k} join ${n} on ${n.id} = ${k.nodeId} and ${n.isLive}
          where ${k.serviceId} = ${s.id} and ${k.version} >= 0)
        and (${s.wish} = 'on' or ${s.wish} is null and exists (select from ${k} where ${k.serviceId} = ${s.id}))
        and coalesce((
          select ${e.kind} from ${e} where ${e.subjectId} = ${s.id} and ${e.subject} = 'service' and ${e.kind} in (${OF_LIFE})
          order by ${e.startedAt} desc, ${e.id} desc limit 1), ${s.status}::text) = 'active'
      order by ${s.id}
    on conflict do nothing`,
}));

// Raw: many services at once.
const END = statement(TIMES, ({ ids, now }) => ({
  sql: `update ${e} set ${e.endedAt.name} = greatest(${e.startedAt}, ${now})
    where ${e.subjectId} = any(${ids}) and ${e.subject} = 'service' and ${e.endedAt} is null and ${e.kind} = 'unserved'`,
}));

/** Writes which of these services no live node has any more. The transaction has locked them. */
export async function beginUnserved(tx: Transaction, ids: readonly number[], now: Date): Promise<void> {
  await executeIn(tx, BEGIN, { ids: [...ids], now });
}

/** Writes that a live node has these services again. The transaction has locked them. */
export async function endUnserved(tx: Transaction, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length > 0) await executeIn(tx, END, { ids: [...ids], now });
}
