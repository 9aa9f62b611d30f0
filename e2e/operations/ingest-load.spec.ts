import pg from "pg";
import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { createTestDatabase } from "@/e2e/support/test-database";
import { hashToken, mintToken } from "@/lib/tokens/format";

test("a thousand simultaneous check-ins are stored or told to retry, without logging keys", async () => {
  const database = await createTestDatabase();
  const token = await insertCaller(database.url);
  const keys = Array.from({ length: 1000 }, () => mintToken("serverKey"));
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(
    `with added as (
       insert into servers (account_id, label, hostname)
       select (select min(id) from accounts), 'Server ' || n, 'server.example' from generate_series(1, 1000) n
       returning id),
     numbered as (select id, row_number() over (order by id) as n from added)
     insert into server_keys (server_id, key_hash, hint)
     select id, ($1::text[])[n], 'hint' from numbered`,
    [keys.map((key) => hashToken(key))],
  );
  const app = await startConsole(database.url);
  try {
    const answers = await Promise.all(
      keys.map((key) =>
        fetch(`${app.origin}/ingest/v1/check-ins`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
          body: JSON.stringify({ cpu_pct: 5, facts: { os: "Debian", kernel: "6.12", cores: 2 } }),
        }),
      ),
    );
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored.length).toBeGreaterThan(0);
    for (const { status, headers } of answers.filter((answer) => answer.status !== 200)) {
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toMatch(/^[1-5]$/);
    }
    const { rows } = await client.query("select count(*)::int as samples from telemetry_samples");
    expect(rows).toEqual([{ samples: stored.length }]);
    const me = await fetch(`${app.origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
    expect(me.status).toBe(200);
    expect(app.output()).not.toMatch(/csrv_\w/);
  } finally {
    await app.stop();
    await client.end();
    await database.stop();
  }
});
