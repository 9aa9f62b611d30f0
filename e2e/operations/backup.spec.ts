import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newBenchmarkRun, newReportingServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { openLibrary } from "@/e2e/support/library";
import { needs, needsPostgresRun } from "@/e2e/support/needs";
import { findPostgres } from "@/e2e/support/programs.mjs";
import { runSql } from "@/e2e/support/run-sql";
import { createEmptyDatabase, createTestDatabase } from "@/e2e/support/test-database";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";

test("a backup made as docs/backup.md says, restored into an empty database, is the same console: token, server key and answers", async () => {
  const { DATABASE_URL = "" } = process.env;
  needsPostgresRun();
  const bin = findPostgres() ?? "";
  const { id, token } = await newAccount();
  const { id: serverId, key } = await newReportingServer(id);
  await newBenchmarkRun(serverId);
  const dir = mkdtempSync(join(tmpdir(), "console-backup-"));
  const restored = await createEmptyDatabase();
  try {
    const dump = join(dir, "console.dump");
    execFileSync(join(bin, "pg_dump"), ["--format=custom", `--file=${dump}`, DATABASE_URL]);
    execFileSync(join(bin, "pg_restore"), ["--no-owner", "--exit-on-error", `--dbname=${restored.url}`, dump]);
    expect((await command(["migrate"], { DATABASE_URL: restored.url })).stdout).toBe("The database is up to date.\n");
    const [before, after] = await Promise.all([startConsole(DATABASE_URL), startConsole(restored.url)]);
    try {
      const headers = { Authorization: `Bearer ${token}` };
      for (const path of ["/me", `/servers/${serverId}/benchmarks`, "/game-services"]) {
        const bodies = await Promise.all(
          [before, after].map(async ({ origin }) => (await fetch(`${origin}/api/v1${path}`, { headers })).text()),
        );
        expect(bodies[1], path).toBe(bodies[0]);
        expect(bodies[1]).toContain('{"data":');
      }
      const report = await fetch(`${after.origin}/ingest/v1/check-ins`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: "{}",
      });
      expect(report.status).toBe(200);
    } finally {
      await Promise.all([before.stop(), after.stop()]);
    }
  } finally {
    await restored.stop();
    rmSync(dir, { recursive: true });
  }
});

test("of the time since a restored backup was made nothing is known: what was offline ends with it, who is silent is unknown until two minutes after the first start and then offline, and nobody is told of more", async () => {
  needsPostgresRun();
  const bin = findPostgres() ?? "";
  const dir = mkdtempSync(join(tmpdir(), "console-backup-"));
  const [kept, restored] = [await createTestDatabase(), await createEmptyDatabase()];
  const now = Math.floor(Date.now() / SECOND) * SECOND;
  const made = now - 3 * HOUR;
  const sqlOf = (at: number) => `to_timestamp(${at / SECOND})`;
  try {
    // When it was made, the first server was offline, and the others reported.
    await runSql(
      kept.url,
      `insert into accounts (name, email) values ('a', 'a@example.com');
      insert into notice_channels (account_id, kind, name, confirmed_at) values (1, 'webhook', 'a', now());
      insert into console_presence (id, since, until) values (1, ${sqlOf(made - DAY)}, ${sqlOf(made)});
      insert into servers (account_id, label, hostname, created_at, last_seen_at) select 1, 's', 'h', ${sqlOf(made - DAY)},
        ${sqlOf(made)} - case n when 1 then interval '20 min' else interval '10 s' end from generate_series(1, 3) n;
      insert into server_events (server_id, kind, started_at, notice_due) values (1, 'offline', ${sqlOf(made - 18 * MINUTE)}, false)`,
    );
    const dump = join(dir, "console.dump");
    execFileSync(join(bin, "pg_dump"), ["--format=custom", `--file=${dump}`, kept.url]);
    execFileSync(join(bin, "pg_restore"), ["--no-owner", "--exit-on-error", `--dbname=${restored.url}`, dump]);
    const library = await openLibrary(restored.url);
    const { watchServers } = library.use<typeof import("@/lib/servers/events/watch")>("servers/events/watch");
    const { bePresent } = library.use<typeof import("@/lib/servers/events/presence")>("servers/events/presence");
    const { storeAt } = library.use<typeof import("@/e2e/support/played-histories")>("../e2e/support/played-histories");
    const minutes = (at: Date | null) => (at === null ? null : (at.getTime() - now) / MINUTE);
    const events = async () =>
      (await runSql(restored.url, "select server_id, kind, started_at, ended_at from server_events order by 1, 3")).map(
        ({ server_id, kind, started_at, ended_at }) => [
          server_id,
          kind,
          minutes(started_at as Date),
          minutes(ended_at as Date),
        ],
      );
    try {
      await bePresent(now);
      await watchServers(now + 6 * SECOND);
      const silent = [
        [1, "offline", -198, -180],
        [1, "unknown", -180, null],
        [2, "unknown", -178 - 1 / 6, null],
        [3, "unknown", -178 - 1 / 6, null],
      ];
      expect(await events()).toEqual(silent);
      // The first is heard once, the second goes on reporting, the third is gone.
      await storeAt(1, now + MINUTE);
      for (let at = now + 10 * SECOND; at <= now + 4 * MINUTE; at += 10 * SECOND) {
        await bePresent(at);
        await storeAt(2, at);
        await watchServers(at);
      }
      expect(await events()).toEqual([
        [1, "offline", -198, -180],
        [1, "unknown", -180, 1],
        [1, "offline", 3, null],
        [2, "unknown", -178 - 1 / 6, 1 / 6],
        [3, "unknown", -178 - 1 / 6, 2],
        [3, "offline", 2, null],
      ]);
      const told = await runSql(
        restored.url,
        "select server_id, kind from server_events where notice_due and kind = 'offline'",
      );
      expect(told.map(({ server_id }) => server_id).toSorted()).toEqual([1, 3]);
    } finally {
      await library.stop();
    }
  } finally {
    await Promise.all([kept.stop(), restored.stop()]);
    rmSync(dir, { recursive: true });
  }
});

test("deploy/backup.sh writes a dump that restores and removes those that are too old; when it fails, it says so, leaves no part of a dump and removes none", async () => {
  needs("shellcheck");
  needsPostgresRun();
  execFileSync("shellcheck", ["deploy/backup.sh"]);
  const bin = findPostgres() ?? "";
  const url = new URL(String(process.env.DATABASE_URL));
  const folder = mkdtempSync(join(tmpdir(), "console-backups-"));
  const restored = await createEmptyDatabase();
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
  try {
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
  } finally {
    await restored.stop();
    rmSync(folder, { recursive: true });
  }
});
