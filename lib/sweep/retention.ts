import { deletion, type GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";
import { CLAIM_LASTS } from "@/lib/game-services/hostnames";
import { KEPT } from "@/lib/process/kept";
import { MOST_EVENTS } from "@/lib/servers/events/events";
import { deleteSamplesOf } from "@/lib/servers/management";
import { MAX_SESSIONS } from "@/lib/sign-in/session-row";
import { MAX_ENDED_SHOWN } from "@/lib/tokens/management";
import { HOURS_KEPT } from "@/lib/tokens/use";

// How long the rows of each table are kept, by PostgreSQL's clock. Tables of days are dropped day by day
// (lib/database/partitions.ts).

/** Finished runs of a server that keep their log, the latest. A log is a hundred times as large as the rest of a run. */
const LOGS_KEPT = 5;
/** A run that has not finished after this many days is deleted. */
const OPEN_RUNS_DAYS = 30;
/** A report of an edge node adds to minutes of the last two hours alone. */
const NODE_MINUTES_HOURS = 3;

/** Notices and messages, in days. */
const NOTICES_DAYS = 30;
/** Confirmation mails are counted for a day. */
const CONFIRMATIONS_DAYS = 2;

const before = (days: string) => `now() - ${days} * interval '1 day'`;
const beforeHours = (hours: string) => `now() - ${hours} * interval '1 hour'`;

/** The finished runs of a server but its latest. */
const runsBeyond = (most: string) => `select run.id from (
  select id, log, row_number() over (order by finished_at desc, id desc) as place from benchmark_runs
  where server_id = o.id and status = 'done') run where run.place > ${most}`;

/**
 * The events of subjects of a kind but the latest of each, and those that go on. Most have few, which the index counts. Without a
 * table of its subjects it is the console itself, with the id 0.
 */
const eventsBeyond = (subject: string, ofEach?: string): Row => ({
  of: "events",
  key: "subject_id, id",
  ...(ofEach !== undefined && { ofEach }),
  kept: MOST_EVENTS,
  select: (most) => {
    const own = `from events where subject = '${subject}' and subject_id = ${ofEach ? "o.id" : 0}`;
    return `select subject_id, id from (
      select * ${own} and (select count(*) ${own}) > ${most} order by started_at desc offset ${most}) e
      where ended_at is not null`;
  },
});

/**
 * The ended tokens of an account that no longer fit on its page, or ended too long ago. Each is kept for a day, because the
 * quota of creations and the one-use numbers of forms count rows.
 */
const endedTokens = (days: string) => `select token.id from (
  select id, created_at, coalesce(revoked_at, expires_at) as ended_at,
    row_number() over (order by coalesce(revoked_at, expires_at) desc, id desc) as place
  from access_tokens where account_id = o.id and (revoked_at is not null or expires_at <= now())) token
  where (token.ended_at < ${before(days)} or token.place > ${MAX_ENDED_SHOWN}) and token.created_at < now() - interval '1 day'`;

type Row = {
  of: string;
  key: string;
  kept: number;
  /** As of a rule: whose rows are looked at one owner after the other, as `o`. */
  ofEach?: string;
  /** Such rows stay without this. */
  set?: string;
} & (
  | {
      /** Which rows are old. `kept` is the number of days, hours or rows. */
      where: (kept: string) => string;
    }
  | {
      /** As `where`, as a whole `select` of their keys. */
      select: (kept: string) => string;
    }
);

/** By the name under which a sweep counts them, in order. */
const ROWS = {
  intervals: [
    {
      // Those of days without a partition.
      of: "metric_samples_default",
      key: "service_id, ts, node_id",
      where: (days) => `service_id = o.id and ts < date_trunc('day', now(), 'UTC') - ${days} * interval '24 hours'`,
      kept: KEPT.metricsDays,
      ofEach: "game_services",
    },
  ],
  node_minutes: [
    {
      of: "edge_node_minutes",
      key: "node_id, ts",
      where: (hours) => `node_id = o.id and ts < ${beforeHours(hours)}`,
      kept: NODE_MINUTES_HOURS,
      ofEach: "edge_nodes",
    },
  ],
  hours: [
    {
      of: "telemetry_hours",
      key: "server_id, hour",
      where: (days) => `server_id = o.id and hour < ${before(days)}`,
      kept: KEPT.hoursDays,
      ofEach: "servers",
    },
  ],
  events: [
    { of: "events", key: "subject_id, id", where: (days) => `ended_at < ${before(days)}`, kept: KEPT.hoursDays },
    eventsBeyond("server", "servers"),
    eventsBeyond("service", "game_services"),
    eventsBeyond("token", "access_tokens"),
    eventsBeyond("console"),
    {
      of: "maintenance_times",
      key: "server_id, id",
      where: (days) => `ended_at < ${before(days)}`,
      kept: KEPT.hoursDays,
    },
    {
      // Before their tokens, so that no statement deletes the events of many.
      of: "events",
      key: "subject_id, id",
      where: (days) => `subject = 'token' and subject_id in (${endedTokens(days)})`,
      kept: KEPT.tokensDays,
      ofEach: "accounts",
    },
  ],
  notices: [
    {
      of: "notices",
      key: "id",
      // An end that is still to be told needs its beginning, however old that is.
      where: (days) => `due_at < ${before(days)} and (state <> 'told' or ended_at < ${before(days)})`,
      kept: NOTICES_DAYS,
    },
    // What was told to go on, and still does, stays longer: its end is told to who knows of it.
    { of: "notices", key: "id", where: (days) => `due_at < ${before(days)}`, kept: KEPT.hoursDays },
    { of: "notice_messages", key: "id", where: (days) => `created_at < ${before(days)}`, kept: NOTICES_DAYS },
    { of: "notice_confirmations", key: "id", where: (days) => `sent_at < ${before(days)}`, kept: CONFIRMATIONS_DAYS },
    { of: "server_snoozes", key: "server_id", where: (days) => `until < ${before(days)}`, kept: 0 },
  ],
  runs: [
    {
      of: "benchmark_runs",
      key: "id",
      where: (days) => `server_id = o.id and status <> 'done' and created_at < ${before(days)}`,
      kept: OPEN_RUNS_DAYS,
      ofEach: "servers",
    },
    { of: "benchmark_runs", key: "id", select: runsBeyond, kept: KEPT.benchmarkRuns, ofEach: "servers" },
  ],
  logs: [
    {
      of: "benchmark_runs",
      key: "id",
      // PostgreSQL knows the length of a log without reading it.
      select: (most) => `${runsBeyond(most)} and octet_length(run.log) > 0`,
      kept: LOGS_KEPT,
      ofEach: "servers",
      set: "log = ''",
    },
  ],
  sessions: [
    {
      of: "sessions",
      key: "token_hash",
      where: (days) => `expires_at < ${before(days)}`,
      kept: KEPT.sessionsDays,
    },
    {
      of: "sessions",
      key: "token_hash",
      where: (most) => `account_id = o.id order by created_at desc offset ${most}`,
      kept: MAX_SESSIONS,
      ofEach: "accounts",
    },
  ],
  tokens: [{ of: "access_tokens", key: "id", select: endedTokens, kept: KEPT.tokensDays, ofEach: "accounts" }],
  use_hours: [
    {
      of: "token_use_hours",
      key: "token_id, hour",
      where: (hours) => `token_id = o.id and hour < ${beforeHours(hours)}`,
      kept: HOURS_KEPT / HOUR,
      ofEach: "access_tokens",
    },
  ],
  // Those that were replaced and no longer work.
  keys: [{ of: "server_keys", key: "id", where: (days) => `expires_at < ${before(days)}`, kept: 0 }],
  claims: [
    {
      of: "hostname_claims",
      key: "hostname",
      where: (days) => `active_at is null and claimed_at < ${before(days)} or released_at < ${before(days)}`,
      kept: CLAIM_LASTS / DAY,
    },
  ],
} satisfies Record<string, Row[]>;

type Name = keyof typeof ROWS;
/** In the order in which they are deleted. */
export const ROW_NAMES = Object.keys(ROWS) as Name[];

const DELETIONS = new Map(
  Object.entries<Row[]>(ROWS).map(([name, rows]) => [
    name,
    rows.map(({ of, key, kept, ofEach, set, ...which }) => ({
      kept,
      deleteOld: deletion({
        action: set ? `update ${of} set ${set}` : `delete from ${of}`,
        key,
        ofEach,
        old: "select" in which ? which.select : (number) => `select ${key} from ${of} where ${which.where(number)}`,
      }),
    })),
  ]),
);

/** Deletes what is older than it is kept, of one name, until `goesOn` says stop. Answers how many rows. */
export async function deleteOld(name: Name, goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (const { kept, deleteOld } of DELETIONS.get(name) ?? []) {
    rows += await deleteOld(kept, goesOn);
  }
  return rows;
}

const server = table("Server", "s");
const sample = table("TelemetrySample", "t");

// Raw: PostgreSQL has no statement that skips from one id of an index to the next.
const LEFT = statement({}, () =>
  select(
    { id: sample.serverId },
    `from (with recursive ids as (
        (select ${sample.serverId} from ${sample} order by 1 limit 1)
        union all select (select ${sample.serverId} from ${sample} where ${sample.serverId} > ids.server_id order by 1 limit 1)
        from ids where ids.server_id is not null)
      select server_id from ids where server_id is not null) t
    where not exists (select from ${server} where ${server.id} = ${sample.serverId}) limit 1000`,
  ),
);

/** Deletes samples of servers that are gone: their account was removed, or their removal was cut off. Answers of how many servers. */
export async function deleteLeftSamples(goesOn: GoesOn): Promise<number> {
  let servers = 0;
  for (const { id } of await query(LEFT, {})) {
    if (!(await goesOn())) break;
    await deleteSamplesOf(id);
    servers++;
  }
  return servers;
}
