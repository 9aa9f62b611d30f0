import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import { parameter, type Sql, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { IS_TAKEN } from "./hostnames";
import type { Standings } from "./standing";

export const NO_STANDINGS: Standings = { failed: 0, withheld: 0, waiting: 0, behind: 0, current: 0 };

const s = table("GameService", "s");
const n = table("EdgeNode", "n");
const k = table("EdgeAcknowledgement", "k");

const WITHHELD = statement({ ids: parameter<number[] | null>("int[]") }, ({ ids }) =>
  select(
    { id: s.id },
    `from ${s} where (${ids} is null or ${s.id} = any(${ids})) and ${s.wish} is distinct from 'gone' and ${IS_TAKEN}
    order by ${s.id}`,
  ),
);

/** Those of these services whose newest version the console does not hand out to edge nodes; of all with null. */
export async function withheldServices(ids: number[] | null): Promise<ReadonlySet<number>> {
  const rows = await query(WITHHELD, { ids });
  return new Set(rows.map(({ id }) => id));
}

/** The rule of `standingOf`, for a service `s` and an acknowledgement `k`, which may be absent. */
function counts(withheld: string): string {
  const isNewest = `(${k.version} is not distinct from ${s.configVersion})`;
  const isWithheld = `(${s.id} = any(${withheld}))`;
  const count = (condition: string) => `count(*) filter (where ${condition})::int`;
  return `${count(`${isNewest} and ${k.error} is null`)} as current,
    ${count(`${isNewest} and ${k.error} is not null`)} as failed,
    ${count(`not ${isNewest} and ${isWithheld}`)} as withheld,
    ${count(`not ${isNewest} and not ${isWithheld} and coalesce(${k.version}, -1) >= 0`)} as behind,
    ${count(`not ${isNewest} and not ${isWithheld} and coalesce(${k.version}, -1) < 0`)} as waiting`;
}

type Counted = { id: number } & Standings;

const OF_SERVICES = statement(
  { ids: parameter<number[]>("int[]"), withheld: parameter<number[]>("int[]") },
  ({ ids, withheld }): Sql<Counted> => ({
    sql: `select ${s.id} as id, ${counts(withheld)} from ${s} join ${n} on ${n.isLive}
      left join ${k} on ${k.nodeId} = ${n.id} and ${k.serviceId} = ${s.id}
      where ${s.id} = any(${ids}) group by ${s.id}`,
  }),
);

/** How far the live nodes are with each of these services. */
export async function standingsOfServices(ids: readonly number[]): Promise<ReadonlyMap<number, Standings>> {
  const withheld = [...(await withheldServices([...ids]))];
  const rows = await query(OF_SERVICES, { ids: [...ids], withheld });
  return new Map(rows.map(({ id, ...standings }) => [id, standings]));
}

// Only acknowledgements are read, not every service for every node: what a node never acknowledged is the rest.
const OF_NODES = statement(
  { withheld: parameter<number[]>("int[]") },
  ({ withheld }): Sql<Counted & { acknowledged: number; acknowledgedWithheld: number }> => ({
    sql: `select ${k.nodeId} as id, ${counts(withheld)}, count(*)::int as acknowledged,
        count(*) filter (where ${s.id} = any(${withheld}))::int as "acknowledgedWithheld"
      from ${k} join ${s} on ${s.id} = ${k.serviceId}
      where ${s.wish} is distinct from 'gone' group by ${k.nodeId}`,
  }),
);

/** How far each of these nodes is with all services that are not being deleted. */
export async function standingsOfNodes(nodeIds: readonly number[]): Promise<ReadonlyMap<number, Standings>> {
  const withheld = [...(await withheldServices(null))];
  const [rows, services] = await Promise.all([
    query(OF_NODES, { withheld }),
    db.gameService.count({ where: { OR: [{ wish: null }, { wish: { not: "gone" } }] } }),
  ]);
  const known = new Map(rows.map(({ id, ...row }) => [id, row]));
  return new Map(
    nodeIds.map((id) => {
      const none = { ...NO_STANDINGS, acknowledged: 0, acknowledgedWithheld: 0 };
      const { acknowledged, acknowledgedWithheld, ...standings } = known.get(id) ?? none;
      const restWithheld = withheld.length - acknowledgedWithheld;
      const rest = services - acknowledged - restWithheld;
      return [id, { ...standings, withheld: standings.withheld + restWithheld, waiting: standings.waiting + rest }];
    }),
  );
}
