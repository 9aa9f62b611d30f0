import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { startHaProxy } from "@/e2e/support/haproxy-server";
import { insertCaller, insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { openLibrary } from "@/e2e/support/library";
import { needs } from "@/e2e/support/needs";
import { OWN_WAIT } from "@/e2e/support/patience";
import { type PostgresServer, startPostgres, startReplica } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { DAY, MINUTE } from "@/lib/format/time";
import { migrate } from "@/scripts/database";

test.describe("with a replica that lags", { tag: "@one-engine" }, () => {
  needs("postgres");
  let primary: PostgresServer;
  let replica: PostgresServer;
  let app: Awaited<ReturnType<typeof startConsole>>;
  let token: string;

  test.beforeAll(async () => {
    primary = await startPostgres();
    await migrate(primary.url);
    token = await insertCaller(primary.url);
    await runSql(
      primary.url,
      `insert into accounts (name, email) values ('owner', 'owner@example.com');
       insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
         select id, 'n', 'j', 'o', 1 from accounts order by id desc limit 1;
       insert into service_grants (service_id, account_id) values (1, 1)`,
    );
    replica = await startReplica(primary);
    app = await startConsole(primary.url, { DATABASE_READ_URL: replica.url });
  });
  test.afterAll(async () => {
    await app?.stop();
    await replica?.stop();
    await primary?.stop();
  });

  const ask = async (path: string) => {
    const response = await fetch(app.origin + path, { headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, json: await response.json() };
  };
  const nodesShown = async () => {
    const { status, json } = await ask("/api/v1/game-services/1/metrics");
    return status === 200 ? json.data.series.map(({ node_id }: { node_id: number }) => node_id) : status;
  };
  const addInterval = (node: number) =>
    runSql(primary.url, "insert into metric_samples values (1, $1, $2, 1, 1, 1, 1, 1)", [
      new Date(Date.now() - MINUTE),
      node,
    ]);

  test("intervals come from it; who may see them, tokens and lists are asked of the primary; and without it the primary answers everything", async () => {
    await addInterval(1);
    await expect.poll(nodesShown).toEqual([1]);
    await pauseReplay();
    await addInterval(2);
    expect(await nodesShown()).toEqual([1]);
    // A write shows at once where it must.
    await runSql(primary.url, "insert into servers (account_id, label, hostname) values (1, 'New', 'h')");
    expect((await ask("/api/v1/servers")).json.data.servers).toHaveLength(1);
    await runSql(primary.url, "delete from service_grants");
    expect(await nodesShown()).toBe(404);
    await runSql(primary.url, "insert into service_grants (service_id, account_id) values (1, 1)");
    expect(await nodesShown()).toEqual([1]);
    // A token that is revoked while the replica still knows it as active.
    await runSql(primary.url, "update access_tokens set revoked_at = now()");
    expect(await nodesShown()).toBe(401);
    await runSql(primary.url, "update access_tokens set revoked_at = null");

    await runSql(replica.url, "select pg_wal_replay_resume()");
    await expect.poll(nodesShown).toEqual([1, 2]);
    await replica.kill();
    await addInterval(3);
    expect(await nodesShown()).toEqual([1, 2, 3]);
    await replica.restart();
    await addInterval(4);
    await expect.poll(nodesShown).toEqual([1, 2, 3, 4]);
    // It is asked again.
    await runSql(replica.url, "select pg_wal_replay_pause()");
    await addInterval(5);
    await expect.poll(nodesShown).toEqual([1, 2, 3, 4]);
    await runSql(replica.url, "select pg_wal_replay_resume()");
  });

  test("the history of a server comes from it whole: sums, samples and peaks; events, uptime and who owns the server are asked of the primary, which also answers when the replica is gone", async () => {
    await runSql(
      primary.url,
      `insert into accounts (name, email) values ('watched', 'watched@example.com');
       insert into servers (account_id, label, hostname, created_at, last_seen_at)
         select id, 'Watched', 'h', now() - interval '3 days', now() from accounts order by id desc limit 1;
       insert into telemetry_samples (server_id, ts, cpu_pct)
         select max(id), now() - n * interval '1 min', 10 + n % 80 from servers, generate_series(0, 2000) n
         where n not between 300 and 330 group by n`,
    );
    const [server] = await runSql<{ id: number; account_id: number }>(
      primary.url,
      "select id, account_id from servers order by id desc limit 1",
    );
    const { id = 0, account_id: owner = 0 } = server ?? {};
    const library = await openLibrary(primary.url, replica.url);
    try {
      const { getHistory } = library.use<typeof import("@/lib/servers/telemetry/history")>("servers/telemetry/history");
      const now = Date.now();
      const readAll = async () => [
        await getHistory(owner, String(id), "7d", now),
        await getHistory(owner, String(id), "24h", now),
      ];
      // Hours are summed up on the primary.
      const isComplete = async () => (await readAll()).every((history) => history.isComplete);
      await expect.poll(isComplete).toBe(true);
      await untilCaughtUp();
      const all = await readAll();
      expect(all.map(({ peaks }) => peaks.cpuPct?.value)).toEqual([89, 89]);
      await pauseReplay();
      await runSql(primary.url, "delete from telemetry_samples");
      await runSql(primary.url, "delete from telemetry_hours");
      expect(await readAll()).toEqual(all);
      // What the replica does not have yet.
      await runSql(
        primary.url,
        `insert into server_events (server_id, kind, started_at, ended_at) values ($1, 'offline', now() - interval '2 hours', now() - interval '1 hour')`,
        [id],
      );
      await runSql(
        primary.url,
        `insert into uptime_sums (server_id, unit, zone, started_at, ended_at, recorded_ms, offline_ms, unreachable_ms, unknown_ms, maintenance_ms, outages, carried)
        values ($1, 'day', 'UTC', now() - interval '1 day', now(), 1, 0, 0, 0, 0, 0, 0)`,
        [id],
      );
      const { listServerEvents } =
        library.use<typeof import("@/lib/servers/events/server-events")>("servers/events/server-events");
      const { listUptimeSums } =
        library.use<typeof import("@/lib/servers/events/uptime-sums")>("servers/events/uptime-sums");
      const { silences } = await listServerEvents(id, { from: now - DAY, to: now }, now);
      expect(silences.map(({ kind }) => kind)).toContain("offline");
      expect(await listUptimeSums(id, "day", 0)).toHaveLength(1);

      await replica.kill();
      expect((await getHistory(owner, String(id), "24h", now)).points).toEqual([]);
      await replica.restart();
      await runSql(primary.url, "delete from servers where id = $1", [id]);
      await expect(getHistory(owner, String(id), "24h", now)).rejects.toThrow("NotFoundError");
    } finally {
      await library.stop();
    }
  });

  async function untilCaughtUp(): Promise<void> {
    const [at] = await runSql(primary.url, "select pg_current_wal_lsn()::text as place");
    const isThere = "select pg_last_wal_replay_lsn() >= $1::pg_lsn as yes";
    await expect.poll(async () => (await runSql(replica.url, isThere, [at?.place]))[0]?.yes).toBe(true);
  }

  async function pauseReplay(): Promise<void> {
    await runSql(replica.url, "select pg_wal_replay_pause()");
    await expect
      .poll(async () => (await runSql(replica.url, "select pg_get_wal_replay_pause_state() as state"))[0]?.state)
      .toBe("paused");
  }
});

test("the replica is promoted under load behind HAProxy: every answer is right or 503 with Retry-After, and soon all are right again", {
  tag: "@one-engine",
}, async () => {
  needs("postgres", "haproxy");
  const primary = await startPostgres();
  await migrate(primary.url);
  const tokens = await insertCallerWithTokens(primary.url, "caller@example.com", 20);
  await runSql(
    primary.url,
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'n', 'j', 'o', 1);
     insert into metric_samples values (1, now() - interval '1 min', 1, 1, 1, 1, 1, 1)`,
  );
  const replica = await startReplica(primary);
  const proxy = await startHaProxy([
    [primary.port, replica.port],
    [replica.port, primary.port],
  ]);
  const through = (port = 0) => `postgresql://postgres@127.0.0.1:${port}/postgres`;
  await expect.poll(() => runSql(through(proxy.ports[0]), "select 1").catch(() => null)).not.toBeNull();
  const app = await startConsole(through(proxy.ports[0]), {
    ...OWN_WAIT,
    DATABASE_READ_URL: through(proxy.ports[1]),
  });
  try {
    const wrong: string[] = [];
    let isOver = false;
    let right = 0;
    let refused = 0;
    const asking = tokens.slice(0, 4).map(async (_, worker) => {
      for (let n = 0; !isOver; n++) {
        const token = tokens[(worker + 4 * n) % tokens.length];
        const path = n % 2 === 0 ? "/api/v1/me" : "/api/v1/game-services/1/metrics";
        const response = await fetch(app.origin + path, { headers: { Authorization: `Bearer ${token}` } });
        const text = await response.text();
        if (response.status === 200 && text.includes(n % 2 === 0 ? "caller@example.com" : '"node_id":1')) right++;
        else if (response.status === 503 && Number(response.headers.get("retry-after")) > 0) refused++;
        else wrong.push(`${path} ${response.status} ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    });
    await expect.poll(() => right).toBeGreaterThan(20);
    await primary.kill();
    await runSql(replica.url, "select pg_promote()");
    await expect
      .poll(() =>
        runSql(through(proxy.ports[0]), "insert into tickets (account_id, subject) values (1, 's')").catch(() => null),
      )
      .not.toBeNull();
    const since = right;
    await expect.poll(() => right).toBeGreaterThan(since + 40);
    const refusedBefore = refused;
    await expect.poll(() => right).toBeGreaterThan(since + 80);
    expect(refused).toBe(refusedBefore);
    isOver = true;
    await Promise.all(asking);
    expect(wrong).toEqual([]);
  } finally {
    await app.stop();
    await proxy.stop();
    await replica.stop();
    await primary.stop();
  }
});
