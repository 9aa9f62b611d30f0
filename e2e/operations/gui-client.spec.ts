import { startAdminer } from "@/e2e/support/adminer";
import { startConsole } from "@/e2e/support/console-server";
import { expect, getData, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { runSql } from "@/e2e/support/run-sql";
import { createEmptyEmbedded } from "@/e2e/support/test-database";
import { migrate } from "@/scripts/database";

test("a GUI client lists the tables of a running console's embedded database, shows rows, edits one and errs, and the API answers all the while", async () => {
  needs("adminer", "php");
  const database = await createEmptyEmbedded();
  await migrate(database.url);
  const { hostname, port } = new URL(database.url);
  const token = await insertCaller(database.url);
  const [{ id } = { id: 0 }] = await runSql<{ id: number }>(
    database.url,
    "insert into servers (account_id, label, hostname) select id, 'Before', 'one.example.com' from accounts returning id",
  );
  const app = await startConsole(database.url);
  const adminer = await startAdminer(hostname, Number(port));
  try {
    expect(await adminer.open({})).toContain("access_tokens");
    expect(await adminer.open({ table: "servers" })).toContain("hostname");
    const rows = { select: "servers", "where[0][col]": "id", "where[0][op]": "=", "where[0][val]": String(id) };
    expect(await adminer.open(rows)).toContain("one.example.com");
    const edited = { [`val[&where%5Bid%5D=${id}][label]`]: "After" };
    expect(await adminer.open({ select: "servers", modify: "1" }, edited)).toContain("1 item has been affected.");
    const query = "select label || '!' from servers; select 1/0";
    expect(await adminer.open({ sql: "" }, { query, limit: "50" })).toContain("division by zero");
    expect(await getData(`/api/v1/servers/${id}`, token, { origin: app.origin })).toMatchObject({ label: "After" });
  } finally {
    await adminer.stop();
    await app.stop();
    await database.stop();
  }
});
