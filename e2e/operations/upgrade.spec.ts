import { spawn } from "node:child_process";
import { once } from "node:events";
import { startConsole } from "@/e2e/support/console-server";
import { startCuttingProxy } from "@/e2e/support/cutting-proxy";
import { createEarlierDatabase, FIRST_VERSION } from "@/e2e/support/earlier-database";
import { expect, test } from "@/e2e/support/fixtures";
import { needs, needsPostgresRun } from "@/e2e/support/needs";
import { startPgBouncer } from "@/e2e/support/pgbouncer-server";
import { Replay, readRecording } from "@/e2e/support/recorded-requests";
import { runSql } from "@/e2e/support/run-sql";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { randomAt } from "@/prisma/demo/random";
import { requireMigrated } from "@/scripts/database";

const SERVERS = 200;
const SAMPLES_OF_EACH = 1000;
const ROWS = SERVERS * SAMPLES_OF_EACH;
const READERS = 6;
const REPORTING = [1, 11, 21, 31, 41, 51];
const KILLS = 10;
/** A run sends 14 messages to PostgreSQL before the first step; all steps take about 330. */
const MESSAGES = { least: 15, most: 60 };

test("migrate, killed ten times beside the statements of the first version behind PgBouncer: none fails or waits for a lock for a second, nothing is lost or doubled, the new version serves at the end, and the old one goes on", {
  tag: "@one-engine",
}, async () => {
  needs("pgbouncer");
  needsPostgresRun();
  const database = await createEarlierDatabase(FIRST_VERSION);
  const callers = await fill(database.url);
  const before = await sumOf(database.url);
  const pooler = await startPgBouncer(database.url, 8);
  const proxy = await startCuttingProxy(database.url);
  const load = new Replay(pooler.url);
  load.start(READERS, REPORTING);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await load.proceed(20);
      const message = MESSAGES.least + Math.floor(randomAt(kill) * (MESSAGES.most - MESSAGES.least));
      expect(await runMigrate(proxy, message, randomAt(kill, 1) < 0.5), `kill ${kill + 1}`).toBe("SIGKILL");
      // By such a row the earlier version and Prisma would refuse to start.
      expect(
        await runSql(
          database.url,
          "select from _prisma_migrations where finished_at is null and rolled_back_at is null",
        ),
      ).toEqual([]);
      await expect(requireMigrated(database.url)).rejects.toThrow(
        /^The database is not up to date; run "npm run migrate": it lacks \d+, from \w+ on\.$/,
      );
    }
    expect(await runMigrate(proxy, null, false)).toBe(0);
    expect(await requireMigrated(database.url)).toBeNull();
    // The way back: the first version goes on beside the new one.
    await load.proceed(100);
    await expectToServe(pooler.url, callers);
    await load.proceed(100);
  } finally {
    await load.stop();
    proxy.stop();
    await pooler.stop();
  }
  expect(load.failures).toEqual([]);
  const own = [...load.stored.values()].reduce((sum, stored) => sum + stored, 0);
  // The new version stored one more.
  expect(await runSql(database.url, "select count(*)::int as rows from telemetry_samples")).toEqual([
    { rows: ROWS + own + 1 },
  ]);
  expect(await sumOf(database.url)).toEqual(before);
  expect(
    await runSql(
      database.url,
      `select id from servers where latest_sample_at is distinct from (select max(ts) from telemetry_samples where server_id = id)`,
    ),
  ).toEqual([]);
  await database.stop();
});

type Callers = { token: string; key: string; session: string };

/** The rows that the recorded requests ask for, and callers for the new version. */
async function fill(url: string): Promise<Callers> {
  const recording = readRecording();
  const first = (what: string) =>
    recording.requests.find((request) => request.what === what)?.statements[0]?.values ?? [];
  const [token, key, session] = [mintToken(), mintToken("serverKey"), "s".repeat(43)];
  await runSql(
    url,
    `insert into accounts (name, email) select 'a' || i, 'a' || i || '@example.com' from generate_series(1, 10) i;
     insert into servers (account_id, label, hostname) select 1 + i % 10, 's' || i, 'h' from generate_series(1, ${SERVERS}) i;
     insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
       select i, 'n', 'j' || i, 'o', 1 from generate_series(1, 10) i;
     insert into telemetry_samples (server_id, ts, cpu_pct, uptime_s) select s, now() - i * interval '11 minutes', i % 100, 1000000 - i
       from generate_series(1, ${SERVERS}) s, generate_series(1, ${SAMPLES_OF_EACH}) i;
     insert into metric_samples select s, now() - i * interval '1 minute', 1, 1, 2, 3, 4, 5.5
       from generate_series(1, 10) s, generate_series(1, 2000) i;
     insert into sessions (token_hash, account_id, expires_at)
       select md5(i::text), 3, now() + interval '9 days' from generate_series(1, 12000) i;
     analyze`,
  );
  await runSql(
    url,
    `insert into access_tokens (account_id, name, token_hash, hint) select 2, 't', hash, 'xxxx' from unnest($1::text[]) hash`,
    [[first("/api/v1/me")[0], hashToken(token)]],
  );
  await runSql(
    url,
    "insert into server_keys (server_id, key_hash, hint) select id, hash, 'xxxx' from unnest($1::int[], $2::text[]) k (id, hash)",
    [
      [1, 101],
      [first("check-in")[0], hashToken(key)],
    ],
  );
  await runSql(
    url,
    `insert into sessions (token_hash, account_id, expires_at) select hash, id, now() + interval '9 days'
     from unnest($1::text[], array[1, 2]) s (hash, id)`,
    [[first("/dashboard")[1], hashToken(session)]],
  );
  // A wait of a second for a lock is a failure.
  await runSql(url, `alter database ${new URL(url).pathname.slice(1)} set lock_timeout = '1s'`);
  return { token, key, session };
}

/** What no check-in changes: the rows that were there before. */
function sumOf(url: string) {
  return runSql(
    url,
    `select (select count(*)::int from telemetry_samples where uptime_s is not null) as samples,
       (select md5(string_agg(server_id || ' ' || ts || cpu_pct, ',' order by server_id, ts)) from telemetry_samples where uptime_s is not null) as md5,
       (select count(*)::int from metric_samples) as intervals, (select count(*)::int from sessions) as sessions`,
  );
}

/** Runs `npm run migrate`; kills it at its n-th message to PostgreSQL. Answers how it ended. */
async function runMigrate(
  proxy: Awaited<ReturnType<typeof startCuttingProxy>>,
  message: number | null,
  isBefore: boolean,
) {
  const child = spawn(process.execPath, ["scripts/run.mjs", "migrate"], {
    env: { ...process.env, DATABASE_URL: proxy.url },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  proxy.at(message, isBefore, () => child.kill("SIGKILL"));
  const [code, signal] = await ended;
  return signal ?? code;
}

/** The console of this version answers: a list, a page, endpoint 7 and a check-in. */
async function expectToServe(url: string, { token, key, session }: Callers): Promise<void> {
  const app = await startConsole(`${url}?pgbouncer=true`);
  try {
    const get = (path: string) => fetch(app.origin + path, { headers: { Authorization: `Bearer ${token}` } });
    const list = (await (await get("/api/v1/servers")).json()) as { data: { servers: { id: number }[] } };
    expect(list.data.servers).toHaveLength(SERVERS / 10);
    const metrics = (await (await get("/api/v1/game-services/2/metrics?range=24h")).json()) as {
      data: { intervals: unknown[] };
    };
    expect(JSON.stringify(metrics).length).toBeGreaterThan(10_000);
    const page = await fetch(`${app.origin}/dashboard`, { headers: { Cookie: `${SESSION_COOKIE}=${session}` } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Fleet")]);
    const report = await fetch(`${app.origin}/ingest/v1/check-ins`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ cpu_pct: 5 }),
    });
    expect([report.status, await report.text()]).toEqual([200, expect.stringContaining("true")]);
  } finally {
    await app.stop();
  }
}
