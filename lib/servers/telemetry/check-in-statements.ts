import { names, parameter, type RowOfStatement, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import type { Conditions } from "@/lib/servers/events/conditions";
import { SILENCE_READ, SILENCE_WRITTEN, silenceColumns, silenceWrites } from "@/lib/servers/events/silence-statements";
import { LATEST_SAMPLE } from "@/lib/servers/telemetry/latest-sample";
import { measuredColumns } from "@/lib/servers/telemetry/measured-columns";
import { MEASUREMENTS, MOST_EVENTS } from "@/lib/servers/telemetry/measurements";

const s = table("Server", "s");
const k = table("ServerKey", "k");
const t = table("TelemetrySample", "t");

type Uptime = (typeof t.uptimeS)["value"];

const { name: UPTIME } = MEASUREMENTS.uptimeS;

/** SQL of a digest of what a check-in moves on: it writes only if that is as it was read. */
const STATE_MD5 = `md5(concat(${s.stability}, ${s.conditions}))`;

/** How far around the time of a late sample its neighbours are looked for: they lie in at most three partitions. */
export const NEIGHBOURHOOD = DAY;

// Raw, because the typed client cannot compute a hash, and one statement reads everything that a check-in depends on. The
// server's row holds its latest sample, so only a late sample reads the table of samples.
export const PREVIOUS = statement(
  { sampledAt: t.ts, id: s.id, since: t.ts, until: t.ts, spanFrom: t.ts, spanTo: t.ts, ...SILENCE_READ },
  ({ sampledAt, id, since, until, spanFrom, spanTo, ...silence }) => {
    const samples = `from ${t} where ${t.serverId} = ${s.id}`;
    return select(
      {
        lastSeenAt: s.lastSeenAt,
        createdAt: s.createdAt,
        stability: s.stability,
        conditions: new Expression<Conditions | null>(s.conditions.sql),
        stateMd5: new Expression<string>(STATE_MD5),
        cores: new Expression<unknown>(`${s.facts} -> 'cores'`),
        daemon: s.daemon,
        daemonBefore: s.daemonBefore,
        twoDaemonsAt: s.twoDaemonsAt,
        // Of the one after it, if this one arrives late, and of the one before.
        sampledAfter: new Expression<Date | null>(
          `case when ${s.latestSampleAt} > ${sampledAt} then (
            select min(${t.ts}) ${samples} and ${t.ts} > ${sampledAt} and ${t.ts} <= ${until}) end`,
          "instant",
        ),
        uptimeBefore: new Expression<Uptime>(
          `case when ${s.latestSampleAt} < ${sampledAt} then (${s.latestSample} ->> '${UPTIME}')::float8
          else (select ${t.uptimeS} ${samples} and ${t.ts} >= ${since} and ${t.ts} < ${sampledAt} order by ${t.ts} desc limit 1) end`,
        ),
        uptimeAfter: new Expression<Uptime>(
          `case when ${s.latestSampleAt} > ${sampledAt} then (
            select ${t.uptimeS} ${samples} and ${t.ts} > ${sampledAt} and ${t.ts} <= ${until} order by ${t.ts} limit 1) end`,
        ),
        // Of the ten seconds of this one: itself, if it was stored before, or else another.
        storedTs: new Expression<Date | null>(
          `(case when ${s.latestSampleAt} >= ${spanFrom} then (
            select ${t.ts} ${samples} and ${t.ts} >= ${spanFrom} and ${t.ts} < ${spanTo}
            order by ${t.ts} = ${sampledAt} desc, ${t.ts} limit 1) end)`,
          "instant",
        ),
        newestTs: s.latestSampleAt,
        ...silenceColumns(id, silence),
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
  stateMd5: parameter<string>("text"),
  keyId: parameter<number | null>("int"),
  keyIp: k.lastUsedIp,
  keyUsedAt: k.lastUsedAt,
  keyNotSince: k.lastUsedAt,
  lastSeenAt: s.lastSeenAt,
  heardAt: s.firstSeenAt,
  stability: parameter<string>("jsonb"),
  conditions: parameter<string | null>("jsonb"),
  facts: parameter<string | null>("jsonb"),
  hasNewIp: parameter<boolean>("boolean"),
  publicIp: s.publicIp,
  hostname: parameter<string | null>("text"),
  daemon: s.daemon,
  daemonBefore: s.daemonBefore,
  twoDaemonsAt: s.twoDaemonsAt,
  ...SILENCE_WRITTEN,
};

/** The insert that `change` adds, and the columns that it copies into the server's row. */
type Addition = { sql: string; columns: string };

// Raw, because one statement is one transaction. It writes only if the server has not changed since it was read, so no
// transaction stays open between reading and writing. The sample alone decides whether anything is new.
export const SEEN = statement(CHANGE, (parameters) => change(parameters, { sql: "select id from same", columns: "" }));
const SAMPLE = { ts: t.ts, ...MEASURED, arrivedAt: t.arrivedAt, coresThen: t.cores };
export const SAMPLED = statement({ ...CHANGE, ...SAMPLE }, (parameters) => {
  const columns = [t.serverId, ...Object.values(SAMPLE)];
  const { coresThen, ...given } = parameters;
  const values = [...Object.keys(MEASURED), "arrivedAt"].map((name) => given[name as keyof typeof given]);
  // Facts that another program wrote may hold any number.
  const cores = `coalesce(${coresThen}, case when jsonb_typeof(facts -> 'cores') = 'number'
      then nullif(least(greatest((facts ->> 'cores')::numeric, 0), 1e6), 0)::float8 end)`;
  const isLatest = `${s.latestSampleAt} is null or ${s.latestSampleAt} < added.ts`;
  return change(parameters, {
    sql: `insert into telemetry_samples as t (${names(...columns)}) 
      select id, ${parameters.ts}, ${values.join(", ")}, ${cores} from same
    on conflict (${names(t.serverId, t.ts)}) do nothing
    returning ${t.serverId} as id, ${t.ts} as ts, ${LATEST_SAMPLE} as sample`,
    // As the trigger would right afterwards: so the row is written once.
    columns: `,
        ${s.latestSampleAt.name} = case when ${isLatest} then added.ts else ${s.latestSampleAt} end,
        ${s.latestSample.name} = case when ${isLatest} then added.sample else ${s.latestSample} end`,
  });
});

/** Adds the kills of an unstored sample to the stored one of its interval: a count must not be lost, a measurement may. */
export const ABSORBED = statement({ ...CHANGE, ts: t.ts, kills: parameter<number>("int") }, (values) =>
  change(values, {
    sql: `update ${t} set ${t.oomKills.name} = least(${MOST_EVENTS}, coalesce(${t.oomKills}, 0) + ${values.kills})
    from same where ${t.serverId} = same.id and ${t.ts} = ${values.ts} returning ${t.serverId} as id`,
    columns: "",
  }),
);

/**
 * The new `firstSeenAt`. A sample that was delayed moves it back, to the creation at most. It stays null where check-ins came
 * before there was this column.
 */
function firstSeen(heardAt: string): string {
  return `case
          when ${s.firstSeenAt} is not null then greatest(${s.createdAt}, least(${s.firstSeenAt}, ${heardAt}))
          when ${s.lastSeenAt} = ${s.createdAt} and ${s.latestSampleAt} is null then greatest(${s.createdAt}, ${heardAt}) end`;
}

/** `added` answers a row if there is something new. */
function change(parameters: { [Name in keyof typeof CHANGE]: string }, added: Addition): Sql<Outcome> {
  const outcome = select({
    wasSame: new Expression<boolean>("exists (select from same)"),
    wasNew: new Expression<boolean>("exists (select from added)"),
  });
  return {
    sql: `with same as (
      select ${s.id} as id, ${s.facts} as facts from ${s} where ${s.id} = ${parameters.id} and ${s.lastSeenAt} = ${parameters.lastSeenBefore}
        and ${STATE_MD5} = ${parameters.stateMd5} for no key update),
    added as (${added.sql}),
    used as (
      update ${k} set ${k.lastUsedAt.name} = ${parameters.keyUsedAt}, ${k.lastUsedIp.name} = ${parameters.keyIp}
      where ${k.id} = ${parameters.keyId} and (${k.lastUsedAt} is null or ${k.lastUsedAt} <= ${parameters.keyNotSince})
        and exists (select from added)),
    ${silenceWrites(parameters)},
    changed as (
      update ${s} set
        ${s.lastSeenAt.name} = ${parameters.lastSeenAt},
        ${s.firstSeenAt.name} = ${firstSeen(parameters.heardAt)},
        ${s.stability.name} = ${parameters.stability},
        ${s.conditions.name} = ${parameters.conditions},
        ${s.facts.name} = coalesce(${parameters.facts}, ${s.facts}),
        ${s.publicIp.name} = case when ${parameters.hasNewIp} then ${parameters.publicIp} else ${s.publicIp} end,
        ${s.hostname.name} = case when ${s.hostname} = '' then coalesce(${parameters.hostname}, '') else ${s.hostname} end,
        ${s.daemon.name} = ${parameters.daemon}, ${s.daemonBefore.name} = ${parameters.daemonBefore},
        ${s.twoDaemonsAt.name} = ${parameters.twoDaemonsAt}${added.columns}
      from added where ${s.id} = added.id)
    ${outcome.sql}`,
  };
}
type Outcome = { wasSame: boolean; wasNew: boolean };
