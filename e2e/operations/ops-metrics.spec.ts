import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import pg from "pg";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { expect, own, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { insertCaller, insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { OWN_WAIT } from "@/e2e/support/patience";
import { pauseTree } from "@/e2e/support/pause-tree";
import { type PostgresServer, startMigratedPostgres } from "@/e2e/support/postgres-server";
import { checkMetrics } from "@/e2e/support/prometheus-server";
import { startRedis } from "@/e2e/support/redis-server";
import { partitionsOf, runSql } from "@/e2e/support/run-sql";
import { othersAre, outcomesOf } from "@/e2e/support/try-to-connect";
import { DAY, SECOND } from "@/lib/format/time";

test("/ops/metrics at OPS_HOST alone reports routes, admission, limit, pool and process", async () => {
  needs("promtool", "redis-server");
  const redis = await own(startRedis());
  // Linux has all of 127.0.0.0/8 on its loopback.
  const [opsPort, host] = [await freePort(), "127.0.0.2"];
  const variables = { OPS_PORT: String(opsPort), OPS_HOST: host, ...(redis && { REDIS_URL: redis.url }) };
  const app = await own(startConsole(String(process.env.DATABASE_URL), variables));
  const read = async () => (await fetch(`http://${host}:${opsPort}/ops/metrics`)).text();
  const { token } = await newAccount();
  const get = (path: string) =>
    fetch(app.origin + path, { headers: { Authorization: `Bearer ${token}`, Connection: "close" } });
  for (let n = 0; n < 20; n++) expect((await get("/api/v1/me")).status).toBe(200);
  expect((await get("/api/v1/servers/2147483647")).status).toBe(404);
  expect((await get("/api/v1/no-such-path-7f3a")).status).toBe(404);
  expect((await get("/no-such-page-7f3a")).status).toBe(404);

  await expect.poll(read).toContain('console_http_requests_total{route="/api/v1/me",status="200"} 20\n');
  // Of the database, once an instance has swept it.
  await expect.poll(read).toContain("console_sweep_finished_timestamp_seconds ");
  const text = await read();
  expect(text).toContain('console_http_requests_total{route="/api/v1/servers/[id]",status="404"} 1\n');
  expect(text).toContain('console_http_request_duration_seconds_count{route="/api/v1/me",status="200"} 20\n');
  expect(text).toContain('console_limit_decisions_total{policy="api",decision="accepted"} 22\n');
  expect(text).toMatch(/^console_admission_total\{kind="request",outcome="at_once"\} [1-9]$/m);
  expect(text).toContain('console_admission_waiting{kind="request"} 0\n');
  expect(text).toMatch(/^console_database_connections\{state="idle"\} \d+$/m);
  expect(text).toMatch(/^console_event_loop_delay_seconds\{percentile="99"\} [\d.e-]+$/m);
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(text).toMatch(
    new RegExp(`^console_build_info\\{version="${version}",commit="(?:unknown|[0-9a-f]{40})"\\} 1$`, "m"),
  );
  expect(text).toContain("console_log_lines_lost_total 0\n");
  expect(text).toContain("console_not_ready 0\n");
  const { groups: memory = {} } =
    /^console_memory_limit_bytes (?<limit>\d+)$[\s\S]*^console_heap_full_ratio (?<full>[\d.]+)$/m.exec(text) ?? {};
  expect(Number(memory.limit)).toBeLessThanOrEqual(totalmem());
  expect(Number(memory.full)).toBeGreaterThan(0);
  expect(Number(memory.full)).toBeLessThan(1);
  if (redis) expect(text).toContain("console_limit_store_down 0\n");
  // What the alerts and the board ask for is there; whether the store is down only where there is one.
  for (const asked of [
    "public/recipes/prometheus/operations-rules.yml",
    "public/recipes/grafana/operations.json",
    "docs/alerts.md",
  ]) {
    const names = readFileSync(asked, "utf8").match(/console_[a-z_]+/g) ?? [];
    expect(names.length).toBeGreaterThan(5);
    const known = names.filter((name) => redis || name !== "console_limit_store_down");
    for (const name of known) expect(text, asked).toMatch(new RegExp(`^${name}(?:\\{.*\\})? `, "m"));
  }
  // At OPS_HOST alone.
  expect(await outcomesOf(opsPort)).toEqual({ loopback: "ECONNREFUSED", others: othersAre("ECONNREFUSED") });
  expect(text, "no path that a client made up").not.toContain("7f3a");
  expect(checkMetrics(text)).toBe("");

  expect((await get("/ops/metrics")).status).toBe(404);
  expect((await fetch(`http://${host}:${opsPort}/api/v1/me`)).status).toBe(404);
});

const DATABASE_POOL_SIZE = 10;

test.describe("with stores of its own", () => {
  // All tests share the stores and the console. Each leaves them working.
  test.describe.configure({ mode: "default" });
  needs("postgres", "redis-server");

  let redis: Awaited<ReturnType<typeof startRedis>>;
  let postgres: PostgresServer;
  let app: ConsoleServer;
  let opsPort: number;
  test.beforeAll(async () => {
    [redis, postgres] = [await startRedis(), await startMigratedPostgres()];
    // A day that is older than it is kept, so that it is dropped.
    await runSql(postgres.url, partitionsOf("metric_samples", [20]));
    opsPort = await freePort();
    app = await startConsole(postgres.url, {
      ...{ ...OWN_WAIT, OPS_PORT: String(opsPort), REDIS_URL: redis.url },
      ...{ KEEP_TELEMETRY_DAYS: "9", DATABASE_POOL_SIZE: String(DATABASE_POOL_SIZE) },
    });
  });
  test.afterAll(async () => {
    await app?.stop();
    await Promise.all([postgres, redis].map((store) => store?.stop()));
  });
  const read = async () => (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();

  test("scrapes alone tell when frozen or killed stores return, and the last sweep's results", async () => {
    await expect.poll(read).toMatch(/^console_sweep_finished_timestamp_seconds \d/m);
    const text = await read();
    const [found] = await runSql(
      postgres.url,
      `select extract(epoch from date_trunc('day', now(), 'UTC'))::int as today, pg_database_size(current_database())::float8 as size,
         report from sweeps`,
    );
    expect(text).toContain(`console_database_size_bytes ${found?.report.database_bytes}\n`);
    expect(found?.report.database_bytes / found?.size).toBeCloseTo(1, 1);
    for (const table of ["telemetry_samples", "metric_samples"]) {
      // Migrations make the days from yesterday on.
      const [, oldest] =
        new RegExp(`^console_oldest_partition_timestamp_seconds\\{table="${table}"\\} (\\d+)$`, "m").exec(text) ?? [];
      expect(found?.today - Number(oldest), table).toBeLessThanOrEqual(DAY / SECOND);
    }
    expect(text).toContain(`console_partition_kept_seconds{table="telemetry_samples"} ${(9 * DAY) / SECOND}\n`);
    expect(text).toContain("console_sweep_failed_steps 0\n");
    // A scrape does not look for it: nothing of this is seen before the next sweep.
    await runSql(
      postgres.url,
      `create table metric_samples_20200101 partition of metric_samples for values from ('2020-01-01Z') to ('2020-01-02Z');
       create table large as select repeat('a', 1000) from generate_series(1, 10000)`,
    );
    const known = (text: string) => text.match(/^console_(?:database_size|oldest_partition)\S+ \S+$/gm);
    expect(known(await read())).toEqual(known(text));

    const frozen = pauseTree(postgres.process());
    await expect.poll(read).toContain("console_not_ready 1\n");
    frozen.resume();
    await expect.poll(read).toContain("console_not_ready 0\n");
    const token = await insertCaller(postgres.url);
    await redis.kill();
    // The last request of the evening: the process notices that it has to decide alone.
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${app.origin}/api/v1/me`, { headers })).status).toBe(200);
    expect(await read()).toContain("console_limit_store_down 1\n");
    await postgres.kill();
    await expect.poll(read).toContain("console_not_ready 1\n");
    expect((await fetch(`${app.origin}/readyz`)).status).toBe(503);
    await postgres.restart();
    await redis.restart();
    await expect.poll(read).toContain("console_limit_store_down 0\n");
    await expect.poll(read).toContain("console_not_ready 0\n");
  });

  test("scrapes count notices due and their age, and what became of messages", async () => {
    // An instance that died has the channel. What is due later is not due.
    await runSql(
      postgres.url,
      `insert into accounts (name, email) values ('told', 'told@example.com');
       insert into notice_channels (account_id, kind, name, confirmed_at, leased_until)
         select id, 'webhook', 'a', now(), now() + interval '1 hour' from accounts where name = 'told';
       insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, started_at, due_at, next_at)
         select id, account_id, 'server', 1, 900 + n, 'begin', 'offline', 'x', now(), now(), now() + n * interval '60 s'
         from notice_channels, unnest(array[-2, -1, 1]) n`,
    );
    const text = await read();
    expect(text).toContain("console_notices_due 2\n");
    const oldest = Number(/^console_notices_oldest_due_seconds ([\d.]+)$/m.exec(text)?.[1]);
    expect(oldest).toBeGreaterThanOrEqual(120);
    expect(oldest).toBeLessThan(240);
    for (const outcome of ["delivered", "undelivered"]) {
      expect(text).toContain(`console_notices_total{outcome="${outcome}"} 0\n`);
    }
  });

  test("scrapes report exhausted connections only while statements hang", async () => {
    const tokens: string[] = [];
    for (const name of ["ann", "ben", "cem"]) {
      tokens.push(...(await insertCallerWithTokens(postgres.url, `${name}@example.com`, 10)));
    }
    const isExhausted = async () => Number(/^console_database_exhausted (\d)$/m.exec(await read())?.[1]);
    const blocker = new pg.Client(postgres.url);
    await blocker.connect();
    let isOver = false;
    try {
      expect(await isExhausted()).toBe(0);
      await blocker.query("begin; lock table servers in access exclusive mode");
      const asking = tokens.map(async (token) => {
        while (!isOver) await fetch(`${app.origin}/api/v1/servers`, { headers: { Authorization: `Bearer ${token}` } });
      });
      await expect.poll(isExhausted).toBe(1);
      // For longer than any statement may take. The alert is for most of ten minutes.
      let exhausted = 0;
      for (let scrape = 0; scrape < 30; scrape++) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        exhausted += await isExhausted();
        const held = await runSql(postgres.url, "select from pg_stat_activity where application_name = 'console-api'");
        expect(held.length).toBeLessThanOrEqual(DATABASE_POOL_SIZE + 1);
      }
      expect(exhausted).toBeGreaterThan(20);
      isOver = true;
      await blocker.query("rollback");
      await Promise.all(asking);
      await expect.poll(isExhausted).toBe(0);
    } finally {
      isOver = true;
      await blocker.end();
    }
  });
});
