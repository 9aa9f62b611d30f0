import { spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { command } from "@/e2e/support/command";
import { addRows, FIRST_VERSION, migrateUntil, SERVERS, unsettled, withDatabase } from "@/e2e/support/earlier-database";
import { expect, test } from "@/e2e/support/fixtures";
import { needsPostgresRun } from "@/e2e/support/needs";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";
import { migrate, requireMigrated } from "@/scripts/database";
import { MigrationSession } from "@/scripts/migrate/session";

// Migrations beside sessions that hold locks. The embedded database has one session, so nobody else holds a lock in it.

needsPostgresRun();

const quiet = { say() {}, stop: new AbortController().signal };

test("a step waits for a lock 100 ms at a time, then says who holds it and that nothing was changed; who reads meanwhile is not held up", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    const holder = await hold(url, "select count(*) from servers");
    const session = await MigrationSession.open(url, quiet);
    try {
      const change = session.quick("the change", async () => "alter table servers add x int", 2 * SECOND);
      const failed = change.then(String, (error: Error) => error.message);
      // A reader that came behind the waiting step would wait for the holder, for ever.
      const reading = (async () => {
        for (let count = 0; count < 40; count++) {
          await runSql(url, "set lock_timeout = '1s'; select count(*) from servers");
        }
      })();
      await reading;
      expect(await failed).toMatch(
        new RegExp(
          `^the change: a lock was not free for \\d s, and nothing was changed by this step. It is held by process ${holder.pid} of PostgreSQL \\(a-report, role \\w+, idle in transaction`,
        ),
      );
      expect(
        await runSql(url, "select from pg_attribute where attrelid = 'servers'::regclass and attname = 'x'"),
      ).toEqual([]);
    } finally {
      await holder.release();
      await session.close();
    }
  });
});

for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
  test(`${signal} while the bound stands alone: ${signal === "SIGKILL" ? "--status says so" : "it is dropped"}, and the next run goes on`, {
    tag: "@one-engine",
  }, async () => {
    await withDatabase(FIRST_VERSION, async ({ url }) => {
      await addRows(url);
      const holder = await hold(url, "select count(*) from servers");
      const child = spawn(process.execPath, ["scripts/run.mjs", "migrate"], {
        env: { ...process.env, DATABASE_URL: url },
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      const bounds = () =>
        runSql(url, "select conname from pg_constraint where conname ~ 'before_midnight' and convalidated");
      await expect.poll(bounds).toHaveLength(1);
      child.kill(signal);
      const [code] = await ended;
      const isKilled = signal === "SIGKILL";
      expect(code).toBe(isKilled ? null : 1);
      expect(await bounds()).toHaveLength(isKilled ? 1 : 0);
      expect(await unsettled(url)).toEqual([]);
      const { stdout } = await command(["migrate", "--status"], { DATABASE_URL: url });
      expect(stdout.includes("telemetry_samples_before_midnight stands alone")).toBe(isKilled);
      await holder.release();
      await migrate(url);
      expect(await bounds()).toEqual([]);
      expect(await requireMigrated(url)).toBeNull();
    });
  });
}

test("servers that somebody has locked are passed over and filled in afterwards, and two migrates at once do it once", {
  tag: "@one-engine",
}, async () => {
  await withDatabase("20261122150000_edges", async ({ url }) => {
    await addRows(url);
    await expect(migrateUntil(url, "filling")).rejects.toThrow();
    const holder = await hold(url, "select from servers where id in (7, 150) for update");
    const migrating = Promise.all([migrate(url), migrate(url)]);
    await expect
      .poll(() => runSql(url, "select count(latest_sample)::int as filled from servers").catch(() => []))
      .toEqual([{ filled: SERVERS - 3 }]);
    await holder.release();
    await migrating;
    expect(await runSql(url, "select count(latest_sample)::int as filled from servers")).toEqual([
      { filled: SERVERS - 1 },
    ]);
    expect(await runSql(url, "select migration_name from _prisma_migrations group by 1 having count(*) > 1")).toEqual(
      [],
    );
  });
});

test("while somebody keeps a table from everybody, --status says who does, and migrate says whom it waits for, ends when it is told to, and goes on afterwards", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    const holder = await hold(url, "lock table telemetry_samples, servers in access exclusive mode");
    const who = `held by process ${holder.pid} of PostgreSQL (a-report`;
    try {
      const { stdout } = await command(["migrate", "--status"], { DATABASE_URL: url });
      expect(stdout).toContain(
        "Pending: 20261122110000_daily_partitions\n  what it will lock and write: a lock was not free",
      );
      expect(stdout).toContain(who);
      const child = spawn(process.execPath, ["scripts/run.mjs", "migrate"], {
        env: { ...process.env, DATABASE_URL: url },
      });
      const ended = once(child, "exit");
      let said = "";
      child.stderr.on("data", (chunk) => (said += chunk));
      await expect.poll(() => said).toContain(who);
      child.kill("SIGTERM");
      expect(await ended).toEqual([1, null]);
      expect(said).toContain("Stopped. The console goes on as before");
    } finally {
      await holder.release();
    }
    await migrate(url);
    expect(await requireMigrated(url)).toBeNull();
  });
});

test("three migrates at once from the first version end well together, and each migration is applied once", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    // An index that is built beside the app waits for the end of older snapshots: one builds it, the others wait for their turn.
    const holder = await hold(url, "set transaction isolation level repeatable read; select 1");
    const lines: string[][] = [[], [], []];
    const migrating = Promise.allSettled(
      lines.map((said) => migrate(url, { say: (line) => said.push(line), stop: new AbortController().signal })),
    );
    const hasSaid = (text: string) => lines.filter((said) => said.some((line) => line.includes(text))).length;
    await expect.poll(() => hasSaid("building the index")).toBeGreaterThan(0);
    await expect.poll(() => hasSaid("another migrate is at a long step")).toBe(2);
    await holder.release();
    expect((await migrating).filter(({ status }) => status === "rejected")).toEqual([]);
    expect(await requireMigrated(url)).toBeNull();
    expect(await runSql(url, "select migration_name from _prisma_migrations group by 1 having count(*) > 1")).toEqual(
      [],
    );
    expect(await runSql(url, "select from pg_index where not indisvalid")).toEqual([]);
  });
});

/** A transaction that stays open behind a statement. */
async function hold(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url, application_name: "a-report" });
  await client.connect();
  await client.query("begin");
  await client.query(statement);
  const { rows } = await client.query("select pg_backend_pid() as pid");
  return { pid: rows[0].pid as number, release: () => client.end() };
}
