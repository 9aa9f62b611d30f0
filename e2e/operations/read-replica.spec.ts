import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { hasHaProxy, startHaProxy } from "@/e2e/support/haproxy-server";
import { insertCaller, insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { findPostgres, type PostgresServer, startPostgres, startReplica } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { MINUTE } from "@/lib/time";
import { migrate } from "@/scripts/database";

test.describe("with a replica that lags", { tag: "@one-engine" }, () => {
  test.skip(!findPostgres(), "This machine has no PostgreSQL server.");
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
    await runSql(replica.url, "select pg_wal_replay_pause()");
    await expect
      .poll(async () => (await runSql(replica.url, "select pg_get_wal_replay_pause_state() as state"))[0]?.state)
      .toBe("paused");
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
    await expect.poll(nodesShown, { timeout: 30_000 }).toEqual([1, 2, 3, 4]);
    await runSql(replica.url, "select pg_wal_replay_resume()");
  });
});

test("the replica is promoted under load behind HAProxy: every answer is right or 503 with Retry-After, and soon all are right again", {
  tag: "@one-engine",
}, async () => {
  test.skip(!findPostgres() || !hasHaProxy(), "This machine has no PostgreSQL server or no HAProxy.");
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
  const app = await startConsole(through(proxy.ports[0]), { DATABASE_READ_URL: through(proxy.ports[1]) });
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
    await expect.poll(() => right, { timeout: 60_000 }).toBeGreaterThan(20);
    await primary.kill();
    await runSql(replica.url, "select pg_promote()");
    await expect
      .poll(() =>
        runSql(through(proxy.ports[0]), "insert into tickets (account_id, subject) values (1, 's')").catch(() => null),
      )
      .not.toBeNull();
    const since = right;
    await expect.poll(() => right, { timeout: 60_000 }).toBeGreaterThan(since + 40);
    const refusedBefore = refused;
    await expect.poll(() => right, { timeout: 60_000 }).toBeGreaterThan(since + 80);
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
