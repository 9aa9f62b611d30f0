import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { newBenchmarkRun, newOwnedReporter } from "@/e2e/support/factories";
import { expect, own, ownFolder, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs, needsPostgresRun } from "@/e2e/support/needs";
import { findPostgres } from "@/e2e/support/programs.mjs";
import { checkInAt } from "@/e2e/support/record-check-in";
import { runSql } from "@/e2e/support/run-sql";
import { createEmptyDatabase } from "@/e2e/support/test-database";
import { DAY } from "@/lib/format/time";

test("a backup restored into an empty database as docs/backup.md says is the same console", async () => {
  const { DATABASE_URL = "" } = process.env;
  needsPostgresRun();
  const bin = findPostgres() ?? "";
  const { token, id: serverId, key } = await newOwnedReporter();
  await newBenchmarkRun(serverId);
  const dir = ownFolder();
  const restored = await own(createEmptyDatabase());
  const dump = join(dir, "console.dump");
  execFileSync(join(bin, "pg_dump"), ["--format=custom", `--file=${dump}`, DATABASE_URL]);
  execFileSync(join(bin, "pg_restore"), ["--no-owner", "--exit-on-error", `--dbname=${restored.url}`, dump]);
  expect((await command(["migrate"], { DATABASE_URL: restored.url })).stdout).toBe("The database is up to date.\n");
  const after = await own(startConsole(restored.url));
  const headers = { Authorization: `Bearer ${token}` };
  for (const path of ["/me", `/servers/${serverId}/benchmarks`, "/game-services"]) {
    const bodies = await Promise.all(
      [sharedOrigin(), after.origin].map(async (origin) =>
        (await fetch(`${origin}/api/v1${path}`, { headers })).text(),
      ),
    );
    expect(bodies[1], path).toBe(bodies[0]);
    expect(bodies[1]).toContain('{"data":');
  }
  expect(await checkInAt(after.origin, key)).toBe(200);
});

test("deploy/backup.sh writes a restorable dump and removes old ones only on success", async () => {
  needs("shellcheck");
  needsPostgresRun();
  execFileSync("shellcheck", ["deploy/backup.sh"]);
  const bin = findPostgres() ?? "";
  const url = new URL(String(process.env.DATABASE_URL));
  const folder = ownFolder();
  const restored = await own(createEmptyDatabase());
  const dumps = () => readdirSync(folder).toSorted();
  const backUp = (port: string) => {
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      PGHOST: url.hostname,
      PGPORT: port,
      PGUSER: decodeURIComponent(url.username),
      PGPASSWORD: decodeURIComponent(url.password),
      PGDATABASE: url.pathname.slice(1),
    };
    return spawnSync("sh", ["deploy/backup.sh", folder, "3"], { env, encoding: "utf8" });
  };
  for (const [name, days] of [
    ["console-20200101T000000Z.dump", 5],
    ["console-20200102T000000Z.dump", 2],
    ["console-20200103T000000Z.dump.part", 5],
    ["others.dump", 9],
  ] as const) {
    writeFileSync(join(folder, name), "");
    const then = (Date.now() - days * DAY) / 1000;
    utimesSync(join(folder, name), then, then);
  }
  const before = dumps();
  const failed = backUp("1");
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toContain("pg_dump: error");
  expect(dumps()).toEqual(before);

  const { status, stderr } = backUp(url.port);
  expect([status, stderr]).toEqual([0, ""]);
  const [old, dump = "", other, ...more] = dumps();
  expect([old, other, more]).toEqual(["console-20200102T000000Z.dump", "others.dump", []]);
  expect(dump).toMatch(/^console-\d{8}T\d{6}Z\.dump$/);
  execFileSync(join(bin, "pg_restore"), [
    "--no-owner",
    "--exit-on-error",
    `--dbname=${restored.url}`,
    join(folder, dump),
  ]);
  const count =
    "select (select count(*)::int from _prisma_migrations) as migrations, (select count(*)::int from sweeps) as sweeps";
  expect(await runSql(restored.url, count)).toEqual(await runSql(url.href, count));
});
