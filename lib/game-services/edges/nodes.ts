import type { Account } from "@/lib/accounts/accounts";
import { db, type Prisma } from "@/lib/database/client";
import { DATABASE_TIME, databaseNow, noteDatabaseTime } from "@/lib/database/clock";
import { execute, query, queryIn } from "@/lib/database/run-statement";
import { parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { type InvalidField, invalid } from "@/lib/failures";
import { normalName } from "@/lib/format/names";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { SILENCE_INTERVAL, SILENT_AFTER } from "@/lib/game-services/events/node-silences";
import { ASKER, askerOf, visibleTo } from "@/lib/game-services/game-services";
import { problemOfName } from "@/lib/game-services/service-input";
import { settleAll } from "@/lib/game-services/settlement";
import { NO_STANDINGS, standingsOfNodes } from "@/lib/game-services/standings";
import { IS_JUDGING } from "@/lib/servers/events/watch";
import { hashToken, isWellFormedToken, mintToken, tokenHint } from "@/lib/tokens/format";

/** After this time, in milliseconds, an unsettled change counts as interrupted and is settled again. */
const UNSETTLED_FOR = 10 * SECOND;
/** The shortest time between two writes of `last_heard_at`, in milliseconds. */
const HEARD_EVERY = 10 * SECOND;
/** A limit, because computing a status reads every live node. */
export const MAX_NODES = 1000;
const MAX_AGENT_LENGTH = 100;
/** How long a replaced key still works, in milliseconds, so that the node can get the new key. */
const NODE_KEY_OVERLAP = HOUR;
/** Keys of one node that work at a time: the current one, and those replaced within the overlap. */
export const MAX_WORKING_KEYS = 10;

const n = table("EdgeNode", "n");
const u = table("EdgeNodeMinute", "u");
const k = table("EdgeNodeKey", "k");

/** A node as administrators see it. */
export type EdgeNodeRecord = Awaited<ReturnType<typeof listNodes>>[number];

/** Whether a node was heard within the last two minutes. */
export function isHeardLately(lastHeardAt: Date | null): boolean {
  return lastHeardAt !== null && lastHeardAt > silentBefore();
}

const silentBefore = () => new Date(databaseNow().getTime() - SILENT_AFTER);

/** `rawKey` exists nowhere else and cannot be read again. */
type AddNodeResult = { kind: "added"; id: number; rawKey: string } | InvalidField<"name">;

/** Adds a node with its key. Nothing waits for it before it is heard for the first time. */
export async function addNode(text: string, now: Date = new Date()): Promise<AddNodeResult> {
  const name = normalName(text);
  const problem = problemOfName(name);
  if (problem !== null) return invalid("name", problem);
  return db.$transaction(async (tx) => {
    // Serializes additions, so that the limit is exact and names are unique.
    await queryIn(tx, LOCK_ADDITIONS, {});
    if ((await tx.edgeNode.count()) >= MAX_NODES) {
      return invalid("name", `There can be ${MAX_NODES} edge nodes. Remove one that is gone first.`);
    }
    if (await tx.edgeNode.findUnique({ where: { name }, select: { id: true } })) {
      return invalid("name", `There is an edge node "${name}" already.`);
    }
    const { id } = await tx.edgeNode.create({ data: { name, createdAt: now }, select: { id: true } });
    return { kind: "added", id, rawKey: await addKey(tx, id, now) };
  });
}

/** A node, and of its keys those that were replaced and still work. Null when there is no such node. */
export async function findNode(id: number, now: Date = new Date()) {
  const keys = { where: { expiresAt: { gt: now } }, select: { id: true } };
  return db.edgeNode.findUnique({ where: { id }, include: { keys } });
}

type RenameNodeResult = { kind: "renamed" } | { kind: "not-found" } | InvalidField<"name">;

/** Gives a node another name, which no other node has. */
export async function renameNode(id: number, text: string): Promise<RenameNodeResult> {
  const name = normalName(text);
  const problem = problemOfName(name);
  if (problem !== null) return invalid("name", problem);
  return db.$transaction(async (tx) => {
    await queryIn(tx, LOCK_ADDITIONS, {});
    const other = await tx.edgeNode.findUnique({ where: { name }, select: { id: true } });
    if (other && other.id !== id) return invalid("name", `There is an edge node "${name}" already.`);
    const { count } = await tx.edgeNode.updateMany({ where: { id }, data: { name } });
    return { kind: count === 1 ? "renamed" : "not-found" };
  });
}

/** Services that the question before a removal lists. */
export const MAX_SERVED_LISTED = 100;
const a = table("EdgeAcknowledgement", "a");
const s = table("GameService", "s");
/** Whether players of a service reach it through the node of an acknowledgement. Older nodes say only the version. */
const isServing = (said: string) =>
  `(${said}.serving_version is not null or ${said}.version = ${s.configVersion} and ${said}.error is null and ${s.wish} is distinct from 'off')`;

/** A service, how many other live nodes serve it, and whether the account that asks may see its page. */
type Served = { id: number; name: string; others: number; isVisible: boolean };

// Raw: it counts the other live nodes of each service.
const SERVED = statement(
  { id: a.nodeId, after: n.lastHeardAt, most: parameter<number>("int"), ...ASKER },
  ({ id, after, most, ...asker }): Sql<Served & { total: number }> => ({
    sql: `select ${s.id} as "id", ${s.name} as "name", ${visibleTo(asker)} as "isVisible", count(*) over ()::int as "total", (
        select count(*)::int from edge_acknowledgements other join ${n} on ${n.id} = other.node_id
        where other.service_id = ${s.id} and other.node_id <> ${id} and ${n.lastHeardAt} > ${after}
          and ${isServing("other")}) as "others"
      from ${a} join ${s} on ${s.id} = ${a.serviceId} and ${s.wish} is distinct from 'gone'
      where ${a.nodeId} = ${id} and ${isServing("a")} order by "others", ${s.id} limit ${most}`,
  }),
);

/** The services that players reach through a node, those first that no other live node serves. `account`: who asks. */
export async function listServed(account: Account, id: number) {
  const rows = await query(SERVED, { id, after: silentBefore(), most: MAX_SERVED_LISTED, ...askerOf(account) });
  return { total: rows[0]?.total ?? 0, services: rows };
}

/** Of all nodes together. */
const MAX_FAILING_LISTED = 100;

/** A service whose newest version a node cannot serve, and whether the account that asks may see its page. */
export type Failing = { nodeId: number; id: number; name: string; isVisible: boolean };

const FAILING = statement(
  { most: parameter<number>("int"), ...ASKER },
  ({ most, ...asker }): Sql<Failing> => ({
    sql: `select ${a.nodeId} as "nodeId", ${s.id} as "id", ${s.name} as "name", ${visibleTo(asker)} as "isVisible"
    from ${a} join ${s} on ${s.id} = ${a.serviceId} and ${s.configVersion} = ${a.version} and ${s.wish} is distinct from 'gone'
    where ${a.error} is not null order by ${s.id}, ${a.nodeId} limit ${most}`,
  }),
);

/** The services that nodes cannot serve, as far as they are listed. `account`: who asks. */
export async function listFailing(account: Account): Promise<Failing[]> {
  return query(FAILING, { most: MAX_FAILING_LISTED, ...askerOf(account) });
}

const LOCK_ADDITIONS = statement({}, () => ({ sql: "select pg_advisory_xact_lock(7240915)::text as locked" }));

// Raw: one statement for a node and its keys, which waits for others that replace its key.
const LOCK_NODE = statement({ id: n.id }, ({ id }) =>
  select({ id: n.id, name: n.name }, `from ${n} where ${n.id} = ${id} for update`),
);

type ReplaceNodeKeyResult =
  | { kind: "replaced"; name: string; rawKey: string }
  | { kind: "not-found" }
  | { kind: "too-often"; message: string };

/** Makes a new current key for a node; the one before goes on working for `NODE_KEY_OVERLAP`. */
export async function replaceNodeKey(id: number, now: Date = new Date()): Promise<ReplaceNodeKeyResult> {
  return db.$transaction(async (tx) => {
    const [node] = await queryIn(tx, LOCK_NODE, { id });
    if (!node) return { kind: "not-found" };
    await tx.edgeNodeKey.deleteMany({ where: { nodeId: id, expiresAt: { lte: now } } });
    if ((await tx.edgeNodeKey.count({ where: { nodeId: id } })) >= MAX_WORKING_KEYS) {
      const message = "The key of this edge node was replaced very often just now. Try again in an hour.";
      return { kind: "too-often", message };
    }
    await tx.edgeNodeKey.updateMany({
      where: { nodeId: id, expiresAt: null },
      data: { expiresAt: new Date(now.getTime() + NODE_KEY_OVERLAP) },
    });
    return { kind: "replaced", name: node.name, rawKey: await addKey(tx, id, now) };
  });
}

/** Ends the keys of a node that were replaced and still work. Answers its name; null when there is no such node. */
export async function endReplacedKeys(id: number): Promise<string | null> {
  const node = await db.edgeNode.findUnique({ where: { id }, select: { name: true } });
  await db.edgeNodeKey.deleteMany({ where: { nodeId: id, expiresAt: { not: null } } });
  return node?.name ?? null;
}

async function addKey(tx: Prisma.TransactionClient, nodeId: number, now: Date): Promise<string> {
  const rawKey = mintToken("edgeKey");
  await tx.edgeNodeKey.create({
    data: { nodeId, keyHash: hashToken(rawKey), hint: tokenHint(rawKey), createdAt: now },
    select: { id: true },
  });
  return rawKey;
}

/**
 * Removes a node with its keys, which are refused from the next request on. Its intervals stay. Answers its name; null
 * when there is no such node.
 */
export async function removeNode(id: number): Promise<string | null> {
  const [node] = await query(REMOVE, { id });
  if (!node) return null;
  await settleAll();
  return node.name;
}

// A live node says to the next process that services are not settled, should this one end before they are.
const REMOVE = statement(
  { id: n.id },
  ({ id }): Sql<{ name: string }> => ({
    sql: `with removed as (delete from ${n} where ${n.id} = ${id} returning ${n.name}),
      noted as (update ${n} set unsettled_since = coalesce(${n.unsettledSince}, date_trunc('milliseconds', now()))
        where ${n.id} = (select min(o.id) from edge_nodes o where o.is_live and o.id <> ${id}) and exists (select from removed))
    select name as "name" from removed`,
  }),
);

/** Every node, by id. */
export async function listNodes() {
  const nodes = await db.edgeNode.findMany({ orderBy: { id: "asc" } });
  const [standings, refused] = await Promise.all([
    standingsOfNodes(nodes.map(({ id }) => id)),
    query(REFUSED, { after: new Date(Date.now() - HOUR) }),
  ]);
  const byNode = new Map(refused.map((row) => [row.nodeId, row.refused]));
  return nodes.map((node) => ({
    ...node,
    /** How far it is with the newest versions of the services. */
    services: standings.get(node.id) ?? NO_STANDINGS,
    /** Connections that it refused in the last hour before they belonged to a service. Null when it reported no minute. */
    refused: byNode.get(node.id) ?? null,
  }));
}

const REFUSED = statement({ after: u.ts }, ({ after }) =>
  select(
    { nodeId: u.nodeId, refused: new Expression<number>(`sum(${u.refused})::bigint`, "json") },
    `from ${u} where ${u.ts} > ${after} group by ${u.nodeId}`,
  ),
);

/** What each node refused in the newest minute that it reported, of the last ten, by its name. For operators. */
export async function listRefused(now: Date = new Date()): Promise<{ node: string; refused: number }[]> {
  return query(NEWEST_REFUSED, { after: new Date(now.getTime() - 10 * MINUTE) });
}

const NEWEST_REFUSED = statement({ after: u.ts }, ({ after }) =>
  select(
    { node: n.name, refused: new Expression<number>("newest.refused", "json") },
    `from ${n} join lateral (
      select ${u.refused} as refused from ${u} where ${u.nodeId} = ${n.id} and ${u.ts} > ${after}
      order by ${u.ts} desc limit 1) newest on true order by ${n.id}`,
  ),
);

/** The names of nodes by id; a removed one has none. */
export async function nodeNames(): Promise<ReadonlyMap<number, string>> {
  const nodes = await db.edgeNode.findMany({ select: { id: true, name: true }, orderBy: { id: "asc" } });
  return new Map(nodes.map(({ id, name }) => [id, name]));
}

/** The node that a key belongs to. */
export type AuthenticatedNode = { id: number; name: string; isLive: boolean; lastHeardAt: number | null };

const BY_HASH = statement({ keyHash: k.keyHash, now: k.expiresAt }, ({ keyHash, now }) =>
  select(
    { id: n.id, name: n.name, isLive: n.isLive, lastHeardAt: n.lastHeardAt, databaseTime: DATABASE_TIME },
    `from ${k} join ${n} on ${n.id} = ${k.nodeId}
    where ${k.keyHash} = ${keyHash} and (${k.expiresAt} is null or ${k.expiresAt} > ${now})`,
  ),
);

/**
 * Finds the node of a raw key. Null when the key is malformed, unknown, expired after a replacement, or its node was
 * removed. Nothing is cached, so every change applies from the next request on.
 */
export async function authenticateNodeKey(raw: string, now: Date): Promise<AuthenticatedNode | null> {
  if (!isWellFormedToken(raw, "edgeKey")) return null;
  const [found] = await query(BY_HASH, { keyHash: hashToken(raw), now });
  if (!found) return null;
  const { databaseTime, ...node } = found;
  noteDatabaseTime(databaseTime);
  return node;
}

const HEARD = statement(
  { id: n.id, now: n.lastHeardAt, ip: n.lastHeardIp, agent: n.agent },
  ({ id, now, ip, agent }) => ({
    sql: `update ${n} set last_heard_at = ${now}, last_heard_ip = ${ip}, agent = ${agent},
      is_live = true, unsettled_since = case when ${n.isLive} then ${n.unsettledSince} else ${now} end
      where ${n.id} = ${id}`,
  }),
);

/**
 * Stores that a node was heard. Returns true when it was silent before: the caller must then call `settleAll`. Skips the
 * write when the last one is recent.
 */
export async function markHeard(
  node: AuthenticatedNode,
  { ip, agent }: { ip: string | null; agent: string | null },
  now: Date,
): Promise<boolean> {
  if (node.isLive && node.lastHeardAt !== null && Math.abs(now.getTime() - node.lastHeardAt) < HEARD_EVERY)
    return false;
  const program = agent === null ? null : agent.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").slice(0, MAX_AGENT_LENGTH);
  await execute(HEARD, { id: node.id, now, ip, agent: program || null });
  return !node.isLive;
}

// What lies further ahead was written before PostgreSQL's clock jumped back. A live node has been heard again since.
const SILENCE = statement({}, () => ({
  sql: `update ${n} set is_live = false, unsettled_since = date_trunc('milliseconds', now()) where ${n.isLive}
    and ${n.lastHeardAt} not between now() - ${SILENCE_INTERVAL} and now() + ${SILENCE_INTERVAL} and ${IS_JUDGING}`,
}));
const UNSETTLED = statement({}, () =>
  select({ id: n.id }, `from ${n} where ${n.unsettledSince} <= now() - interval '${UNSETTLED_FOR} ms' limit 1`),
);

/**
 * Marks nodes that fell silent. Returns true when any did, or when a change of nodes was not settled in time because its
 * process ended: the caller must then call `settleAll`.
 */
export async function markSilent(): Promise<boolean> {
  return (await execute(SILENCE, {})) > 0 || (await query(UNSETTLED, {})).length > 0;
}

/** Where Minecraft connects when a name has no SRV record. */
export const USUAL_PORT = 25_565;
/** Where players reach a node, as far as the console knows. */
export type NodeEnd = { ip: string; port: number };

/** The ends of the live nodes, by id. A node says its port in the name of its program. */
export async function listEnds(): Promise<NodeEnd[]> {
  const nodes = await db.edgeNode.findMany({
    where: { lastHeardAt: { gt: silentBefore() }, lastHeardIp: { not: null } },
    select: { lastHeardIp: true, agent: true },
    orderBy: { id: "asc" },
  });
  return nodes.flatMap(({ lastHeardIp: ip, agent }) => {
    const port = Number(/^console-edge\/\S+ port\/(\d{1,5})$/.exec(agent ?? "")?.[1] ?? USUAL_PORT);
    return ip === null ? [] : [{ ip, port }];
  });
}
