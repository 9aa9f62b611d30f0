import { chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { expect, own, ownFolder, test } from "@/e2e/support/fixtures";
import { insertCallerWithTokens } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { startPostgres, startPostgresFrom, unprivilegedUser } from "@/e2e/support/postgres-server";
import { findPostgres } from "@/e2e/support/programs.mjs";
import { runProgram } from "@/e2e/support/run-program";
import { runSql } from "@/e2e/support/run-sql";
import { migrate } from "@/scripts/database";

test("PostgreSQL goes back to a moment as docs/backup.md says, keeping only earlier tokens", async () => {
  needs("postgres");
  const text = readFileSync("docs/backup.md", "utf8");
  const [, conf = ""] = /```conf\n(.*?)```/s.exec(text) ?? [];
  const [backUp = "", goBack = ""] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = ""]) => lines).slice(1);
  const user = unprivilegedUser();
  const dir = ownFolder();
  for (const folder of [dir, join(dir, "wal"), join(dir, "restored")]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
  }
  const here = (lines: string) => lines.replaceAll("/var/backups", dir);
  const primary = await own(startPostgres());
  const run = async (lines: string) => {
    const variables = {
      PATH: `${findPostgres()}:${process.env.PATH}`,
      DATABASE_URL: primary.url,
      PGDATA: join(dir, "restored"),
    };
    const { code, errors } = await runProgram("sh", ["-ec", `cd /\n${here(lines)}`], variables, user);
    expect(code, errors).toBe(0);
  };
  for (const setting of conf.trim().split("\n")) await runSql(primary.url, `alter system set ${here(setting)}`);
  await primary.kill();
  await primary.restart();
  await migrate(primary.url);
  await run(backUp);
  const [before = ""] = await insertCallerWithTokens(primary.url, "before@example.com", 1);
  const [{ moment } = { moment: "" }] = await runSql<{ moment: string }>(
    primary.url,
    "select clock_timestamp()::text as moment",
  );
  const [after = ""] = await insertCallerWithTokens(primary.url, "after@example.com", 1);
  const [{ wal } = { wal: "" }] = await runSql<{ wal: string }>(
    primary.url,
    "select pg_walfile_name(pg_switch_wal()) as wal",
  );
  // The file has its name before it is whole.
  await expect
    .poll(() => runSql(primary.url, "select last_archived_wal as wal from pg_stat_archiver"))
    .toEqual([{ wal }]);
  expect(readdirSync(join(dir, "wal"))).toContain(wal);
  await primary.kill();

  expect(goBack).toContain("'2026-11-23 10:00:00+00'");
  await run(goBack.replace("2026-11-23 10:00:00+00", moment));
  const restored = await own(startPostgresFrom(join(dir, "restored")));
  const isOpen = () => runSql(restored.url, "select not pg_is_in_recovery() as open");
  await expect.poll(isOpen).toEqual([{ open: true }]);
  expect((await command(["migrate"], { DATABASE_URL: restored.url })).stdout).toBe("The database is up to date.\n");
  const app = await own(startConsole(restored.url));
  const ask = async (token: string) =>
    (await fetch(`${app.origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect([await ask(before), await ask(after)]).toEqual([200, 401]);
});
