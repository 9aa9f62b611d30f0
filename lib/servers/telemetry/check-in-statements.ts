import { names, parameter, type RowOfStatement, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";

const s = table("Server", "s");
const k = table("ServerKey", "k");
const t = table("TelemetrySample", "t");

type Uptime = (typeof t.uptimeS)["value"];

// Raw, so that what a check-in depends on is one statement, and because the typed client has no word for a hash.
export const PREVIOUS = statement(
  { sampledAt: t.ts, from: t.ts, to: t.ts, id: s.id },
  ({ sampledAt, from, to, id }) => {
    const samples = `from ${t} where ${t.serverId} = ${s.id}`;
    return select(
      {
        lastSeenAt: s.lastSeenAt,
        createdAt: s.createdAt,
        stability: s.stability,
        stabilityMd5: new Expression<string>(`md5(${s.stability}::text)`),
        daemon: s.daemon,
        daemonBefore: s.daemonBefore,
        twoDaemonsAt: s.twoDaemonsAt,
        // Of the sample before this one, and of the one after it if this one arrives late.
        uptimeBefore: new Expression<Uptime>(
          `(select ${t.uptimeS} ${samples} and ${t.ts} < ${sampledAt} order by ${t.ts} desc limit 1)`,
        ),
        uptimeAfter: new Expression<Uptime>(
          `(select ${t.uptimeS} ${samples} and ${t.ts} > ${sampledAt} order by ${t.ts} limit 1)`,
        ),
        // Of the ten seconds of this one: itself, if it was stored before, or else another.
        storedTs: new Expression<Date | null>(
          `(select ${t.ts} ${samples} and ${t.ts} >= ${from} and ${t.ts} < ${to}
          order by ${t.ts} = ${sampledAt} desc, ${t.ts} limit 1)`,
          "instant",
        ),
        newestTs: new Expression<Date | null>(`(select max(${t.ts}) ${samples})`, "instant"),
      },
      `from ${s} where ${s.id} = ${id}`,
    );
  },
);
export type Previous = RowOfStatement<typeof PREVIOUS>;

/** The columns of a sample, in the order in which they are stored. */
const MEASURED = measuredColumns(t);

const CHANGE = {
  id: s.id,
  lastSeenBefore: s.lastSeenAt,
  stabilityMd5: parameter<string>("text"),
  keyId: parameter<number | null>("int"),
  keyIp: k.lastUsedIp,
  keyUsedAt: k.lastUsedAt,
  keyNotSince: k.lastUsedAt,
  lastSeenAt: s.lastSeenAt,
  stability: parameter<string>("jsonb"),
  facts: parameter<string | null>("jsonb"),
  hasNewIp: parameter<boolean>("boolean"),
  publicIp: s.publicIp,
  daemon: s.daemon,
  daemonBefore: s.daemonBefore,
  twoDaemonsAt: s.twoDaemonsAt,
};

// Raw, because it is one statement, so one transaction: nothing is written unless the server is as it was read, and
// nothing but the sample decides whether anything is new. No transaction is held open between reading and writing.
export const SEEN = statement(CHANGE, (given) => change(given, "select id from same"));
export const SAMPLED = statement({ ...CHANGE, ts: t.ts, ...MEASURED }, (given) => {
  const columns = [t.serverId, t.ts, ...Object.values(MEASURED)];
  const values = Object.keys(MEASURED).map((name) => given[name as keyof typeof MEASURED]);
  return change(
    given,
    `insert into telemetry_samples as t (${names(...columns)}) select id, ${given.ts}, ${values.join(", ")} from same
    on conflict (${names(t.serverId, t.ts)}) do nothing returning ${t.serverId} as id`,
  );
});

/** `added` answers a row if there is something new. */
function change(given: { [Name in keyof typeof CHANGE]: string }, added: string): Sql<Outcome> {
  const outcome = select({
    wasSame: new Expression<boolean>("exists (select from same)"),
    wasNew: new Expression<boolean>("exists (select from added)"),
  });
  return {
    sql: `with same as (
      select ${s.id} as id from ${s} where ${s.id} = ${given.id} and ${s.lastSeenAt} = ${given.lastSeenBefore}
        and md5(${s.stability}::text) = ${given.stabilityMd5} for update),
    added as (${added}),
    used as (
      update ${k} set ${k.lastUsedAt.name} = ${given.keyUsedAt}, ${k.lastUsedIp.name} = ${given.keyIp}
      where ${k.id} = ${given.keyId} and (${k.lastUsedAt} is null or ${k.lastUsedAt} <= ${given.keyNotSince})
        and exists (select from added)),
    changed as (
      update ${s} set
        ${s.lastSeenAt.name} = ${given.lastSeenAt},
        ${s.stability.name} = ${given.stability},
        ${s.facts.name} = coalesce(${given.facts}, ${s.facts}),
        ${s.publicIp.name} = case when ${given.hasNewIp} then ${given.publicIp} else ${s.publicIp} end,
        ${s.daemon.name} = ${given.daemon}, ${s.daemonBefore.name} = ${given.daemonBefore},
        ${s.twoDaemonsAt.name} = ${given.twoDaemonsAt}
      where ${s.id} = ${given.id} and exists (select from added))
    ${outcome.sql}`,
  };
}
type Outcome = { wasSame: boolean; wasNew: boolean };
