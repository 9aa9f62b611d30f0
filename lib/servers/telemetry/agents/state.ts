import { query } from "@/lib/database/run-statement";
import { names, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import type { AgentState } from "./instants";

/** The doors of stock agents. Each remembers its own agent of a key. */
const AGENT_DOORS = ["prometheus", "influx", "otlp", "collectd"] as const;
export type AgentDoorName = (typeof AGENT_DOORS)[number];

/** Whose state it is. */
type StateOwner = { keyId: number; door: AgentDoorName };

/** The state of an agent as the database has it. `heardAt` is in epoch milliseconds; a version of 0 is not stored yet. */
export type StoredState = { host: string; heardAt: number; version: number; state: AgentState };

const a = table("AgentState", "a");
const k = table("ServerKey", "k");

// Raw, as everything that a check-in does.
const READ = statement({ keyId: a.keyId, door: a.door }, ({ keyId, door }) =>
  select(
    {
      host: a.host,
      heardAt: a.heardAt,
      version: a.version,
      instants: new Expression<string>(`${a.instants}::text`),
    },
    `from ${a} where ${a.keyId} = ${keyId} and ${a.door} = ${door}`,
  ),
);

const WRITE = statement(
  {
    keyId: a.keyId,
    door: a.door,
    host: a.host,
    heardAt: a.heardAt,
    instants: parameter<string>("json"),
    version: a.version,
  },
  ({ keyId, door, host, heardAt, instants, version }): Sql<{ version: number }> => {
    const changed = [a.host, a.heardAt, a.instants].map(({ name }) => `${name} = excluded.${name}`);
    return {
      // A key that was deleted meanwhile gets no state.
      sql: `insert into agent_states as a (${names(a.keyId, a.door, a.host, a.heardAt, a.instants)})
      select ${k.id}, ${door}, ${host}, ${heardAt}, ${instants} from ${k} where ${k.id} = ${keyId}
      on conflict (${names(a.keyId, a.door)}) do update set ${changed.join(", ")}, ${a.version.name} = ${a.version} + 1
      where ${a.version} = ${version}
      returning ${a.version} as version`,
    };
  },
);

/** The state that an agent of this key left; null when there is none yet. */
export async function findAgentState({ keyId, door }: StateOwner): Promise<StoredState | null> {
  const [row] = await query(READ, { keyId, door });
  if (!row) return null;
  const { instants, ...rest } = row;
  return { ...rest, state: JSON.parse(instants) as AgentState };
}

/** Replaces the state of this version. Null when another request did so first, or the key is gone. */
export async function replaceAgentState(
  { keyId, door }: StateOwner,
  { host, heardAt, version, state }: StoredState,
): Promise<number | null> {
  const instants = JSON.stringify(state);
  const [row] = await query(WRITE, { keyId, door, host, heardAt: new Date(heardAt), instants, version });
  return row?.version ?? null;
}
