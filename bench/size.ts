import { randomBytes } from "node:crypto";
import pg from "pg";
import { DAY, MINUTE } from "@/lib/format/time";
import { serverPath } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";
import type { Bench, BenchRequest, Target } from "./bench";
import { CHECK_IN } from "./check-in";
import { median } from "./rounds";

/** A month of a thousand servers that report every 30 seconds. */
const DAYS = 31;
const SAMPLES_A_DAY = 2880;
/** The filling stops after this time (ms). The table says how many days there are then. */
const FILLING_MS = 6 * MINUTE;
/** Two days are filled at a time. */
const WRITERS = 2;

const SECOND = 1000;
const TABLE = "telemetry_samples";
const WATCHED = 5;

type Row = readonly [string, string];

/** What a month of a thousand servers takes and costs, on a PostgreSQL server in its standard settings. */
export async function size(bench: Bench): Promise<Row[]> {
  if (!(await canFill(bench.data.url))) return [["Not measured: this needs --postgres.", ""]];
  const large = await bench.another();
  const client = new pg.Client(large.data.url);
  client.on("error", () => {});
  await client.connect();
  try {
    const filled = await fillMonth(client, large.data.url);
    const app = await large.direct();
    const rows: Row[] = [
      [`${filled.days} days of 1,000 servers`, `${(filled.rows / 1e6).toFixed(1)} million samples`],
      ["filling and vacuum", `${seconds(filled.ms)}, ${rate((filled.rows / filled.ms) * SECOND)} rows/s`],
      ...(await sizes(client, filled)),
      ...(await requests(large, app, client)),
      ...(await histories(client, app)),
      ...(await upkeep(client, filled)),
    ];
    return [["", "measured"], ...rows];
  } finally {
    await client.end();
    await large.stop();
  }
}

/** Whether the role may write rows without the triggers that keep what is derived, which filling does without. */
async function canFill(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(
      "select rolsuper and version() not like '%wasm%' as may from pg_roles where rolname = current_user",
    );
    return rows[0]?.may === true;
  } finally {
    await client.end();
  }
}

type Month = { days: number; rows: number; ms: number; vacuumMs: number };

/** Fills day by day, the latest first, for as long as it may take. */
async function fillMonth(client: pg.Client, url: string): Promise<Month> {
  const began = performance.now();
  const today = Math.floor(Date.now() / DAY) * DAY;
  const account = await accountId(client);
  const days = Array.from({ length: DAYS }, (_, index) => today - index * DAY);
  const month = { days: 0, rows: 0, vacuumMs: 0 };
  // Before anybody writes: making a partition waits a tenth of a second for writers, and then gives up.
  for (const day of days) await client.query("select make_day_partition($1, $2, 1000000)", [TABLE, new Date(day)]);
  const write = async () => {
    const writer = new pg.Client(url);
    // When the other writer fails, the server is stopped under this one.
    writer.on("error", () => {});
    await writer.connect();
    // Without triggers and look-ups of foreign keys: what follows from samples is made below, and by the reads themselves.
    await writer.query("set session_replication_role = replica");
    for (let day = days.shift(); day !== undefined && performance.now() - began < FILLING_MS; day = days.shift()) {
      const { rowCount } = await writer.query(
        `insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5, mem_used_mb,
          mem_total_mb, swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s, oom_kills, failed_units)
        select s.id, at, 20 + (s.id * 7 + i / 20) % 60, 0.4, 1.2, 0.8 + i % 7, 9000 + i, 16000, 0, 61.3, 0, 0.2, i * 30, 0, 0
        from generate_series(0, ${SAMPLES_A_DAY} - 1) i, servers s,
          lateral (select $1::timestamptz + i * interval '30 s' + s.id % 30000 * interval '1 ms' as at) time
        where s.account_id = $2 and at < now() - interval '11 min'`,
        [new Date(day), account],
      );
      const vacuumBegan = performance.now();
      await writer.query(`vacuum (analyze) ${TABLE}_${nameOf(day)}`);
      month.vacuumMs = Math.max(month.vacuumMs, performance.now() - vacuumBegan);
      month.days++;
      month.rows += rowCount ?? 0;
    }
    await writer.end();
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await client.query("update servers set created_at = now() - interval '40 days' where account_id = $1", [account]);
  await client.query("vacuum analyze servers");
  await client.query("checkpoint");
  return { ...month, ms: performance.now() - began };
}

async function sizes(client: pg.Client, { days, rows }: Month): Promise<Row[]> {
  const { rows: found } = await client.query(
    `select sum(pg_table_size(c.oid))::float8 as heap, sum(pg_indexes_size(c.oid))::float8 as keys
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = '${TABLE}'::regclass`,
  );
  const { heap, keys } = found[0];
  return [
    ["bytes a row", `${rate(heap / rows)} and ${rate(keys / rows)} of key`],
    [
      "all samples",
      `${((heap + keys) / 1e9).toFixed(1)} GB; ${((((heap + keys) / days) * 31) / 1e9).toFixed(1)} GB for 31 days`,
    ],
  ];
}

async function requests(bench: Bench, app: Target, client: pg.Client): Promise<Row[]> {
  const cookie = await signIn(client);
  const measure = async (request: BenchRequest) => {
    await bench.ask(app, { ...request, ms: SECOND });
    return bench.ask(app, { ms: 4 * SECOND, ...request });
  };
  const { keys, tokens } = bench.data;
  const checkIns = await measure({ path: "/ingest/v1/check-ins", body: CHECK_IN, tokens: keys, ms: 10 * SECOND });
  const list = { path: "/api/v1/servers", connections: 1, tokens: tokens[1000] };
  const [hundred, thousand] = [await measure({ ...list, tokens: tokens[100] }), await measure(list)];
  const fleet = await measure({ path: "/dashboard", connections: 1, tokens: [], headers: [`Cookie: ${cookie}`] });
  return [
    ["check-ins, 16 at once", `${rate(checkIns.perSecond)} /s`],
    ["GET /servers (100)", `${ms(hundred.medianMs)}`],
    ["GET /servers (1,000)", `${ms(thousand.medianMs)}`],
    ["the fleet page (1,000)", `${ms(fleet.medianMs)}`],
  ];
}

/** The page of a server's 30 days: the first time, when no hour is summed up yet, and again. */
async function histories(client: pg.Client, { port }: Target): Promise<Row[]> {
  const cookie = await signIn(client);
  const { rows } = await client.query("select id from servers where account_id = $1 order by id limit $2", [
    await accountId(client),
    WATCHED,
  ]);
  const times = { first: [] as number[], whole: [] as number[], again: [] as number[] };
  for (const { id } of rows) {
    const began = performance.now();
    const read = async () => {
      const response = await fetch(`http://127.0.0.1:${port}${serverPath(id)}?range=30d`, {
        headers: { Cookie: cookie },
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`The page of a server answered ${response.status}.`);
      return text.includes("still being summed up");
    };
    let isUnfinished = await read();
    times.first.push(performance.now() - began);
    while (isUnfinished) isUnfinished = await read();
    times.whole.push(performance.now() - began);
    const warmBegan = performance.now();
    await read();
    times.again.push(performance.now() - warmBegan);
  }
  return [
    ["30 d of a server, cold: the page", seconds(median(times.first))],
    ["30 d of a server, cold: every hour summed up", seconds(median(times.whole))],
    ["30 d of a server, warm", seconds(median(times.again))],
  ];
}

async function upkeep(client: pg.Client, { vacuumMs }: Month): Promise<Row[]> {
  const { rows } = await client.query(
    `select min(c.relname) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = '${TABLE}'::regclass and c.relname ~ '_[0-9]{8}$' and c.reltuples > 0`,
  );
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(rows[0].name) ?? [];
  const timed = async (text: string, values: unknown[] = []) => {
    const began = performance.now();
    await client.query(text, values);
    return seconds(performance.now() - began);
  };
  return [
    ["vacuum of a day that was just filled, at most", seconds(vacuumMs)],
    ["vacuum of servers after the check-ins", await timed("vacuum (analyze) servers")],
    ["a day dropped", await timed("select drop_day_partition($1, $2)", [TABLE, `${year}-${month}-${day}T00:00:00Z`])],
  ];
}

async function accountId(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select id from accounts where name = 'with 1000 servers'");
  return rows[0].id;
}

/** The cookie of a session of the account with 1,000 servers. */
async function signIn(client: pg.Client): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await client.query(
    `insert into sessions (token_hash, account_id, expires_at) select $1, $2, now() + interval '1 day'`,
    [hashToken(token), await accountId(client)],
  );
  return `session=${token}`;
}

const nameOf = (day: number) => new Date(day).toISOString().slice(0, 10).replaceAll("-", "");
const rate = (value: number) => value.toFixed(0);
const ms = (value: number) => `${value.toFixed(1)} ms`;
const seconds = (value: number) => `${(value / SECOND).toFixed(2)} s`;
