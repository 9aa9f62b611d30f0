import { execute } from "@/lib/database/run-statement";
import { parameter, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { MINUTE } from "@/lib/format/time";

/** Two daemons that share a key take turns at checking in. After this time without a turn, one daemon is assumed again. */
export const NEWS_FOR = 10 * MINUTE;

const s = table("Server", "s");
const e = table("ServerEvent", "e");

// Raw, because it compares two tables. An event is over as well when a later one has begun.
const END = statement({ before: parameter<Date>("timestamptz") }, ({ before }) => ({
  sql: `with over as (
      select ${e.id} as id, coalesce((
        select min(l.started_at) from server_events l
        where l.server_id = ${s.id} and l.kind = ${e.kind} and l.started_at > ${e.startedAt}), ${s.twoDaemonsAt}) as until
      from ${e} join ${s} on ${s.id} = ${e.serverId}
      where ${e.endedAt} is null and ${e.kind} = 'two_daemons' and ${s.twoDaemonsAt} <= ${before})
    update ${e} set ${e.endedAt.name} = greatest(${e.startedAt}, over.until) from over where ${e.id} = over.id`,
}));

/** Ends the events of servers whose daemons took no turns in the ten minutes before `now` (epoch ms). */
export async function endTwoDaemons(now: number): Promise<void> {
  await execute(END, { before: new Date(now - NEWS_FOR) });
}

/** The last two names that daemons of a server reported under, and when two were seen to take turns (epoch ms). */
type Known = { daemon: string | null; daemonBefore: string | null; twoDaemonsAt: number | null };

/** Updates the names after a check-in. A daemon takes a new name at each start, so a name that returns proves a second daemon. */
export function withDaemon(known: Known, daemon: string | undefined, now: Date) {
  const { daemon: last, daemonBefore: before } = known;
  const twoDaemonsAt = known.twoDaemonsAt === null ? null : new Date(known.twoDaemonsAt);
  if (daemon === undefined || daemon === last) return { daemon: last, daemonBefore: before, twoDaemonsAt };
  return { daemon, daemonBefore: last, twoDaemonsAt: daemon === before ? now : twoDaemonsAt };
}
