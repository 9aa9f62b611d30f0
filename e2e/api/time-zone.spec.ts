import pg from "pg";
import { startConsole } from "@/e2e/support/console-server";
import { expect, getData, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { createTestDatabase } from "@/e2e/support/test-database";
import { HOUR, MINUTE } from "@/lib/format/time";

test("instants are the same whatever time zone the database server speaks in", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(`alter database ${client.escapeIdentifier(client.database ?? "")} set timezone = 'Asia/Kolkata'`);
  const app = await startConsole(database.url);
  try {
    const token = await insertCaller(database.url);
    const now = Math.floor(Date.now() / MINUTE) * MINUTE;
    await client.query(
      "insert into servers (account_id, label, hostname, created_at, last_seen_at) select id, 'l', 'h', $1, $2 from accounts",
      [new Date(now - HOUR), new Date(now - 10 * MINUTE)],
    );
    await client.query(
      "insert into game_services (account_id, name, java_hostname, origin_host, origin_port) select id, 'n', 'j', 'o', 1 from accounts",
    );
    await client.query("insert into metric_samples select s.id, $1, 1, 1, 1, 1, 1 from game_services s", [
      new Date(now - 30 * MINUTE),
    ]);
    await client.query("update access_tokens set expires_at = now() + interval '10 minutes'");
    const { origin } = app;
    expect(await getData("/api/v1/servers", token, { origin })).toMatchObject({
      servers: [{ online: false, last_seen: now - 10 * MINUTE }],
    });
    expect(await getData("/api/v1/game-services/1/metrics?range=1h", token, { origin })).toMatchObject({
      series: [{ ts: now - 30 * MINUTE }],
    });
  } finally {
    await client.end();
    await app.stop();
    await database.stop();
  }
});
