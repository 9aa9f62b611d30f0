import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { atEnd, expect, own, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { needsPostgresRun } from "@/e2e/support/needs";
import { runSql } from "@/e2e/support/run-sql";

test("a role made as docs/operations.md says, with no other right, migrates, sweeps and serves", async () => {
  const server = process.env.E2E_POSTGRES_URL;
  needsPostgresRun();
  const [, shown = ""] = /```sql\n(.*?)```/s.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
  const name = `console_${randomBytes(6).toString("hex")}`;
  const statements = shown
    .trim()
    .replaceAll(/\bconsole\b/g, name)
    .split("\n");
  expect(statements).toHaveLength(2);
  atEnd(async () => {
    await runSql(String(server), `drop database if exists ${name} with (force)`);
    await runSql(String(server), `drop role if exists ${name}`);
  });
  for (const statement of statements) await runSql(String(server), statement);
  const url = new URL(String(server));
  Object.assign(url, { username: name, password: "…", pathname: `/${name}` });
  const variables = { DATABASE_URL: url.href };
  const rights = "select rolsuper or rolcreatedb or rolcreaterole or rolreplication as has from pg_roles";
  expect(await runSql(url.href, `${rights} where rolname = current_user`)).toEqual([{ has: false }]);
  expect(await command(["migrate"], variables)).toMatchObject({ code: 0 });
  const swept = await command(["console", "sweep"], variables);
  expect(swept.code, swept.stderr).toBe(0);
  const token = await insertCaller(url.href);
  const app = await own(startConsole(url.href));
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${app.origin}/api/v1/me`, { headers })).status).toBe(200);
  expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);
});
