import pg from "pg";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { call, expect, expectFailure, getDataWhenServed, test } from "@/e2e/support/fixtures";
import { insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { type PgBouncer, startPgBouncer } from "@/e2e/support/pgbouncer-server";
import { type PostgresServer, startPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { ConsolePool } from "@/lib/database/pool";
import { MINUTE, SECOND } from "@/lib/format/time";
import { parseEnv } from "@/lib/process/env-variables";
import { migrate, openDatabase } from "@/scripts/database";

// Debian's own PgBouncer in transaction mode, set up as its manual says: it refuses what it does not know, and gives
// each transaction another of its three connections.

const CALLERS = 8;
const REQUESTS = 400;
const POOL = 3;

// Each console that starts finds the database migrated.
test.describe("behind PgBouncer in transaction mode, which two migrations at once go through", () => {
  needs("postgres", "pgbouncer");

  let postgres: PostgresServer;
  let pooler: PgBouncer;
  let app: ConsoleServer | null = null;
  let client: pg.Client;
  let tokens: string[];

  // One worker: PostgreSQL and PgBouncer are started once, a console for each test that needs one.
  test.describe.configure({ mode: "default" });
  test.beforeAll(async () => {
    postgres = await startPostgres();
    client = new pg.Client(postgres.url);
    await client.connect();
    await client.query("alter database postgres set timezone = 'Asia/Kolkata'");
    pooler = await startPgBouncer(postgres.url, POOL);
    await Promise.all([1, 2].map(() => migrate(pooler.url, { tries: 100, pause: 100 })));
    expect((await client.query("select from pg_locks where locktype = 'advisory'")).rows).toEqual([]);
    tokens = await insertCallers(postgres.url);
  });
  test.afterEach(async () => {
    await app?.stop();
    app = null;
  });
  test.afterAll(async () => {
    await pooler.stop();
    await client.end();
    await postgres.stop();
  });

  async function open(url: string, variables = {}): Promise<ConsoleServer> {
    app = await startConsole(url, variables);
    return app;
  }

  test("400 requests at once are answered rightly, without prepared statements and in UTC", async () => {
    const { origin, output } = await open(pooler.url);
    const calls = Array.from({ length: REQUESTS }, async (_, index) => {
      const caller = index % CALLERS;
      const paths = [
        "/api/v1/me",
        "/api/v1/servers",
        "/api/v1/game-services",
        `/api/v1/servers/${caller + 1}/benchmarks`,
      ];
      const path = paths[Math.floor(index / CALLERS) % paths.length] ?? "";
      return { caller, path, data: await getDataWhenServed(origin, path, tokens[caller] ?? "") };
    });
    for (const { caller, path, data } of await Promise.all(calls)) {
      const own = `caller-${caller}@example.com`;
      const expected = {
        "/api/v1/me": { email: own },
        "/api/v1/servers": { servers: [{ label: own, last_seen: SEEN.getTime() }] },
        "/api/v1/game-services": { services: [{ name: own, created_at: SEEN.getTime() }] },
      }[path] ?? { benchmarks: [{ label: own, finished_at: SEEN.getTime() }] };
      expect(data, `${path} of ${own}`).toMatchObject(expected);
    }
    expect(output().match(/prepared statements are off/g)).toHaveLength(1);
    expect(output()).not.toContain('"error"');
  });

  test("with pgbouncer=true in DATABASE_URL there are no prepared statements from the start", async () => {
    for (const [parameter, names] of [
      ["", 1],
      ["?pgbouncer=true", 0],
    ] as const) {
      const pool = new ConsolePool(postgres.url + parameter, 1);
      const { rows } = await pool.query("select count(*)::int as names from pg_prepared_statements");
      expect(rows, parameter).toEqual([{ names }]);
      await pool.end();
    }
  });

  test("a slow statement is cancelled in PostgreSQL, is 503 and reaches no other client", async () => {
    // A sixth of it is the time in which the pooler passes on what cancels a statement.
    const wait = 1.5 * SECOND;
    const { origin } = await open(pooler.url, { CONSOLE_LONGEST_WAIT: String(wait) });
    const listed = () => call("/api/v1/servers", tokens[0] ?? "", { origin });
    await expect.poll(async () => (await listed()).status).toBe(200);
    // The first sweep reads servers as well.
    const swept = async () => (await client.query("select finished_at from sweeps")).rows[0]?.finished_at;
    await expect.poll(swept).toBeTruthy();
    const other = new pg.Client(pooler.url);
    await other.connect();
    await client.query("begin");
    await client.query("lock table servers in access exclusive mode");
    try {
      // The lock is held until the end: only a statement that is cancelled has an answer before that.
      await expectFailure(listed(), 503, "Service temporarily unavailable. Retry in a few seconds.");
      // What runs in the background may begin to wait later: it is cancelled in its turn.
      const { rows: now } = await client.query("select clock_timestamp()::text as answered");
      const waiting = async () => {
        // Within a transaction this view is what it was when it was first read.
        await client.query("select pg_stat_clear_snapshot()");
        const { rows } = await client.query(
          `select query from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()
             and query like '%servers%' and query_start < $1::timestamptz`,
          [now[0]?.answered],
        );
        return rows;
      };
      await expect.poll(waiting).toEqual([]);
      // Longer than our own statements may take: another client of the pooler keeps its own time.
      await other.query(`select pg_sleep(${(2 * wait) / SECOND})`);
    } finally {
      await client.query("rollback");
      await other.end();
    }
    await expect.poll(async () => (await listed()).status).toBe(200);
  });

  test("the start's check gets through the pooler exactly when the app does", async () => {
    const database = await openDatabase(parseEnv({ DATABASE_URL: pooler.url }), false);
    expect(database.isEmbedded).toBe(false);
    const refusing = new URL(pooler.url);
    refusing.searchParams.set("options", "-c search_path=public");
    await expect(openDatabase(parseEnv({ DATABASE_URL: refusing.toString() }), false)).rejects.toThrow(
      /cannot be reached: .*options/,
    );
  });
});

const SEEN = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - 30 * MINUTE);

/** Accounts 1 to 8, each with a token, a server, a finished run and a game service of its own name. */
async function insertCallers(url: string): Promise<string[]> {
  const tokens: string[] = [];
  for (let n = 0; n < CALLERS; n++) tokens.push(...(await insertCallerWithTokens(url, `caller-${n}@example.com`, 1)));
  await runSql(
    url,
    `with g as (insert into game_services (account_id, name, java_hostname, origin_host, origin_port, created_at)
        select id, email, 'j', 'o', 1, $1 from accounts),
      s as (insert into servers (account_id, label, hostname, last_seen_at)
        select id, email, 'h', $1 from accounts order by id returning id, label)
     insert into benchmark_runs (server_id, label, status, finished_at) select id, label, 'done', $1 from s`,
    [SEEN],
  );
  return tokens;
}
