import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { startPostgresOnSmallDisk } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { migrate } from "@/scripts/database";

const DISK_MB = 120;

test("on a full disk of PostgreSQL a check-in is 503 with Retry-After and lists are answered; once there is room it is stored, and nothing was restarted", {
  tag: "@one-engine",
}, async () => {
  needs("postgres", "namespaces");
  const postgres = await startPostgresOnSmallDisk(DISK_MB);
  await migrate(postgres.url);
  const token = await insertCaller(postgres.url);
  const key = mintToken("serverKey");
  await runSql(
    postgres.url,
    `with added as (insert into servers (account_id, label, hostname) values (1, 's', 'h') returning id)
     insert into server_keys (server_id, key_hash, hint) select id, '${hashToken(key)}', 'xxxx' from added`,
  );
  const app = await startConsole(postgres.url);
  const list = () => fetch(`${app.origin}/api/v1/servers`, { headers: { Authorization: `Bearer ${token}` } });
  const report = () =>
    fetch(`${app.origin}/ingest/v1/check-ins`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ cpu_pct: 5 }),
    });
  try {
    await runSql(
      postgres.url,
      "create unlogged table large (text text); alter table large alter text set storage plain",
    );
    // Rows of nearly a page each, fewer and fewer at once, until not one has room.
    for (const rows of [1000, 100, 1]) {
      const fill = `insert into large select repeat('a', 8000) from generate_series(1, ${rows})`;
      const filling = async () => {
        for (;;) await runSql(postgres.url, fill);
      };
      await expect(filling()).rejects.toMatchObject({ code: "53100" });
    }
    const refused = await report();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await list()).status).toBe(200);
    expect(await runSql(postgres.url, "select from telemetry_samples")).toEqual([]);

    await runSql(postgres.url, "drop table large");
    await expect.poll(async () => (await report()).status).toBe(200);
    expect(await runSql(postgres.url, "select cpu_pct from telemetry_samples")).toEqual([{ cpu_pct: 5 }]);
  } finally {
    await app.stop();
    await postgres.stop();
  }
});
