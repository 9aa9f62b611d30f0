import { execute, query } from "@/lib/database/run-statement";
import { names, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import type { AgentState } from "./instants";

/** The protocols of stock agents. Each remembers its own agent of a key. */
export type AgentProtocolName = "prometheus" | "influx" | "otlp";

/** Whose state it is. */
type StateOwner = { keyId: number; protocol: AgentProtocolName };

/** The state of an agent as the database has it. `heardAt` is in epoch milliseconds; a version of 0 is not stored yet. */
export type StoredState = { host: string; heardAt: number; version: number; state: AgentState };

const a = table("AgentState", "a");
const k = table("ServerKey", "k");

// Raw, as everything that a check-in does.
const READ = statement({ keyId: a.keyId, protocol: a.protocol }, ({ keyId, protocol }) =>
  select(
    {
      host: a.host,
      heardAt: a.heardAt,
      version: a.version,
      instants: new Expression<string>(`${a.instants}::text`),
    },
    `from ${a} where ${a.keyId} = ${keyId} and ${a.protocol} = ${protocol}`,
  ),
);

const WRITE = statement(
  {
    keyId: a.keyId,
    protocol: a.protocol,
    host: a.host,
    heardAt: a.heardAt,
    instants: parameter<string>("json"),
    version: a.version,
  },
  ({ keyId, protocol, host, heardAt, instants, version }): Sql<{ version: number }> => {
    const changed = [a.host, a.heardAt, a.instants].map(({ name }) => `${name} = excluded.${name}`);
    return {
      // A key that was deleted meanwhile gets no state.
      sql: `insert into agent_states as a (${names(a.keyId, a.protocol, a.host, a.heardAt, a.instants)})
      select ${k.id}, ${protocol}, ${host}, ${heardAt}, ${instants} from ${k} where ${k.id} = ${keyId}
      on conflict (${names(a.keyId, a.protocol)}) do update set ${changed.join(", ")}, ${a.version.name} = ${a.version} + 1
      where ${a.version} = ${version}
      returning ${a.version} as version`,
    };
  },
);

/** The states that are kept of a server. It has one agent, and two while its key or the agent itself is replaced. */
const KEPT_OF_SERVER = 4;
/** The version of a state that has just been added. */
const FIRST = 1;

/** Of the server whose key this is, forgets the states that were not among the last. */
const FORGET_OLDEST = statement({ keyId: a.keyId, kept: parameter<number>("int") }, ({ keyId, kept }) => ({
  sql: `delete from ${a} using (
      select s.key_id as of_key, s.door as of_door from agent_states s join ${k} on ${k.id} = s.key_id
      where ${k.serverId} = (select server_id from server_keys where id = ${keyId})
      order by s.heard_at desc, s.key_id desc, s.door offset ${kept}
    ) as oldest
    where ${a.keyId} = of_key and ${a.protocol} = of_door`,
}));

/** The state that an agent of this key left; null when there is none yet. */
export async function findAgentState({ keyId, protocol }: StateOwner): Promise<StoredState | null> {
  const [row] = await query(READ, { keyId, protocol });
  if (!row) return null;
  const { instants, ...rest } = row;
  return { ...rest, state: JSON.parse(instants) as AgentState };
}

/**
 * Replaces the state of this version, and makes room for a first one. Null when another request did so first, or the key is
 * gone.
 */
export async function replaceAgentState(
  { keyId, protocol }: StateOwner,
  { host, heardAt, version, state }: StoredState,
): Promise<number | null> {
  const instants = JSON.stringify(state);
  const [row] = await query(WRITE, { keyId, protocol, host, heardAt: new Date(heardAt), instants, version });
  if (row?.version === FIRST) await execute(FORGET_OLDEST, { keyId, kept: KEPT_OF_SERVER });
  return row?.version ?? null;
}
