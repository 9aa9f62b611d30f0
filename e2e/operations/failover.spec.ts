import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { startHaProxy } from "@/e2e/support/haproxy-server";
import { insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { OWN_WAIT } from "@/e2e/support/patience";
import { startPostgres, startReplica } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { migrate } from "@/scripts/database";

test("a replica promoted under load leaves only right answers or 503, then recovers", async () => {
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
  const proxy = await startHaProxy([[primary.port, replica.port]]);
  const through = (port = 0) => `postgresql://postgres@127.0.0.1:${port}/postgres`;
  await expect.poll(() => runSql(through(proxy.ports[0]), "select 1").catch(() => null)).not.toBeNull();
  const app = await startConsole(through(proxy.ports[0]), OWN_WAIT);
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
