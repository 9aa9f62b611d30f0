import { db, type Prisma } from "@/lib/database/client";
import { DATABASE_TIME, databaseNow } from "@/lib/database/clock";
import { deleteSomeOfOwner, deletionOfOwner } from "@/lib/database/deletion";
import { executeIn, query, queryIn } from "@/lib/database/run-statement";
import { jsonArray, names, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { GameServiceStatus, type ServiceWish } from "@/lib/generated/prisma/enums";
import { pause, runInBackground } from "@/lib/process/background";
import { noteNodeSilences } from "./events/node-silences";
import { beginUnserved, endUnserved, IS_UNSERVED } from "./events/unserved";
import { confirmClaims, HOSTNAME_TAKEN, IS_TAKEN, releaseHostnames } from "./hostnames";
import { nextStatus, type Outcome, type StatusFacts, wishOf } from "./status";

/** Stored as the version when a node reports that it no longer has the service. */
export const ABSENT = -1;

/** Services per transaction when all services are settled. */
const BATCH = 200;
/** The pause in milliseconds between two parts of the rows of a service that is being deleted. */
const BETWEEN_PARTS = 10;

const s = table("GameService", "s");
const n = table("EdgeNode", "n");
const k = table("EdgeAcknowledgement", "k");
const e = table("Event", "e");

/** SQL of the statuses that a service can have. */
const STATUSES = Object.values(GameServiceStatus)
  .map((status) => `'${status}'`)
  .join(", ");

// Raw: locks rows in the order of their ids, so that transactions cannot deadlock. `no key update` does not block the
// foreign key checks of inserted intervals.
const LOCK = statement({ ids: parameter<number[]>("int[]") }, ({ ids }) =>
  select({ id: s.id }, `from ${s} where ${s.id} = any(${ids}) order by ${s.id} for no key update`),
);

const isTaken = new Expression<boolean>(IS_TAKEN);
const answers = jsonArray(
  select(
    {
      node: n.name,
      version: new Expression<number | null>(`nullif(${k.version}, ${ABSENT})`),
      error: k.error,
      servingVersion: k.servingVersion,
    },
    `from ${n} left join ${k} on ${k.nodeId} = ${n.id} and ${k.serviceId} = ${s.id} where ${n.isLive} order by ${n.id}`,
  ),
);

// A separate statement after the locks, so that it sees what earlier transactions committed.
const FACTS = statement({ ids: parameter<number[]>("int[]") }, ({ ids }) =>
  select(
    {
      id: s.id,
      wish: s.wish,
      status: s.status,
      error: s.error,
      configVersion: s.configVersion,
      firstFetchedAt: s.firstFetchedAt,
      isTaken,
      isUnserved: new Expression<boolean>(IS_UNSERVED),
      answers,
    },
    `from ${s} where ${s.id} = any(${ids}) order by ${s.id}`,
  ),
);

/** A row that changes. The others are not written. */
type Change = { id: number; status: GameServiceStatus; error: string | null; wish: ServiceWish };

/** SQL: the event is of the service `changed`, and goes on. */
const OPEN_OF_CHANGED = `${e.subjectId} = changed.id and ${e.subject} = 'service' and ${e.endedAt} is null`;
/** SQL of the facts of its status. */
const FACTS_OF_CHANGED = "jsonb_strip_nulls(jsonb_build_object('error', left(changed.error, 300)))";
// Raw: many rows at once. Each status is an event until the next one. While it stays, its event takes the newest error.
const WRITE = statement({ changes: parameter<string>("text"), now: s.updatedAt }, ({ changes, now }) => ({
  sql: `with changed as (
      update ${s} set status = change.status, error = change.error, wish = change.wish, updated_at = ${now}
      from json_to_recordset(${changes}::json)
        as change (id int, status game_service_status, error text, wish service_wish)
      where ${s.id} = change.id returning s.*),
    going_on as (
      update ${e} set facts = ${FACTS_OF_CHANGED} from changed
      where ${OPEN_OF_CHANGED} and ${e.kind} = changed.status::text returning ${e.subjectId}),
    ended as (
      update ${e} set ended_at = greatest(${e.startedAt}, ${now}) from changed
      where ${OPEN_OF_CHANGED} and ${e.kind} in (${STATUSES}) and ${e.kind} <> changed.status::text)
    insert into events as e (subject, subject_id, account_id, kind, started_at, facts)
      select 'service', id, account_id, status::text, ${now}, ${FACTS_OF_CHANGED}
      from changed where id not in (select subject_id from going_on)
    on conflict (${names(e.subjectId, e.subject, e.startedAt, e.kind)}) do update set ended_at = null, facts = excluded.facts`,
}));

/** Locks these services against other settlements until the transaction ends. Returns the ids that exist. */
export async function lockServices(tx: Prisma.TransactionClient, ids: readonly number[]): Promise<number[]> {
  return (await queryIn(tx, LOCK, { ids: [...ids] })).map(({ id }) => id);
}

const m = table("MetricSample", "m");
const INTERVALS = deletionOfOwner(m, m.serviceId, m.ts);
const EVENTS = deletionOfOwner(e, e.subjectId, e.startedAt, `and ${e.subject} = 'service'`);

const DELETING: Outcome = { kind: "status", status: "deleting", error: null };

/**
 * Writes the status that follows for each of these services, which the transaction of the caller has locked, and deletes
 * those that no edge node has any more. One with many intervals or events is "deleting" until background work has deleted them.
 */
export async function settle(tx: Prisma.TransactionClient, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const rows = await queryIn(tx, FACTS, { ids: [...ids] });
  const removed: number[] = [];
  const served: number[] = [];
  const unfinished: number[] = [];
  const changes: Change[] = [];
  for (const row of rows) {
    const facts: StatusFacts = {
      ...row,
      wasFetched: row.firstFetchedAt !== null,
      problem: row.isTaken ? HOSTNAME_TAKEN : null,
      answers: JSON.parse(row.answers),
    };
    if (row.isUnserved && facts.answers.some(({ version }) => version !== null)) served.push(row.id);
    let next = nextStatus(facts);
    if (next.kind === "remove") {
      const isEmpty = (await deleteSomeOfOwner(tx, INTERVALS, row.id)) && (await deleteSomeOfOwner(tx, EVENTS, row.id));
      if (isEmpty) removed.push(row.id);
      else {
        unfinished.push(row.id);
        next = DELETING;
      }
    }
    if (next.kind === "status" && (next.status !== row.status || next.error !== row.error)) {
      changes.push({ id: row.id, status: next.status, error: next.error, wish: wishOf(row.wish, row.status) });
    }
  }
  if (changes.length > 0) await executeIn(tx, WRITE, { changes: JSON.stringify(changes), now });
  const active = changes.filter(({ status }) => status === "active").map(({ id }) => id);
  await endUnserved(tx, served, now);
  await confirmClaims(tx, active, now);
  await releaseHostnames(tx, removed, now);
  if (removed.length > 0) await tx.gameService.deleteMany({ where: { id: { in: removed } } });
  if (unfinished.length > 0) {
    runInBackground("deleting the rows of services", async () => {
      if (await pause(BETWEEN_PARTS)) await settleServices(unfinished);
    });
  }
}

/** Continues deletions whose process ended before they did. Returns how many services are gone. */
export async function settleDeletions(): Promise<number> {
  const where = { wish: "gone" } satisfies Prisma.GameServiceWhereInput;
  const deleting = await db.gameService.findMany({ where, select: { id: true }, orderBy: { id: "asc" } });
  const ids = deleting.map(({ id }) => id);
  await settleServices(ids);
  return ids.length - (await db.gameService.count({ where: { id: { in: ids } } }));
}

/** Locks and settles these services, in one transaction. */
export async function settleServices(ids: readonly number[], now: Date = databaseNow()): Promise<void> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const some = ids.slice(start, start + BATCH);
    await db.$transaction(async (tx) => settle(tx, await lockServices(tx, some), now), TIMES);
  }
}

/** Timeouts of a transaction over many services, in milliseconds. */
export const TIMES = { maxWait: 10_000, timeout: 30_000 };

const ALL = statement({ after: s.id, count: parameter<number>("int") }, ({ after, count }) =>
  select({ id: s.id }, `from ${s} where ${s.id} > ${after} order by ${s.id} limit ${count}`),
);

const CLOCK = statement({}, () => select({ now: DATABASE_TIME }));

/**
 * Settles every service after a node came or fell silent, at PostgreSQL's time, by which that was noted. Works in batches, so
 * that locks are short, and writes only the services whose status changes.
 */
export async function settleAll(at?: Date): Promise<void> {
  const [clock] = await query(CLOCK, {});
  const now = at ?? new Date(clock?.now ?? Date.now());
  for (let after = 0; ; ) {
    const ids = (await query(ALL, { after, count: BATCH })).map(({ id }) => id);
    await db.$transaction(async (tx) => {
      const locked = await lockServices(tx, ids);
      await noteNodeSilences(tx, locked, now);
      await beginUnserved(tx, locked, now);
      await settle(tx, locked, now);
    }, TIMES);
    const last = ids.at(-1);
    if (last === undefined || ids.length < BATCH) break;
    after = last;
  }
  await db.edgeNode.updateMany({ where: { unsettledSince: { lte: now } }, data: { unsettledSince: null } });
}
