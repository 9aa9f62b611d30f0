import { spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { command } from "@/e2e/support/command";
import { addRows, FIRST_VERSION, migrateUntil, SERVERS, unsettled, withDatabase } from "@/e2e/support/earlier-database";
import { expect, test } from "@/e2e/support/fixtures";
import { needsPostgresRun } from "@/e2e/support/needs";
import { runSql } from "@/e2e/support/run-sql";
import { PlainError } from "@/lib/failures";
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

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const) {
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

test("the timeouts of a role or a database end no step of migrate, however long it takes", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    await addRows(url);
    const name = new URL(url).pathname.slice(1);
    for (const timeout of ["statement_timeout", "lock_timeout", "idle_session_timeout"]) {
      await runSql(url, `alter database ${name} set ${timeout} = '200ms'`);
    }
    const holder = await hold(url, "set transaction isolation level repeatable read; select 1");
    const migrating = migrate(url).then(String, (error: Error) => error.message);
    // Much longer than the timeouts, which is the point.
    await expect
      .poll(() =>
        runSql(
          url,
          "select from pg_stat_activity where query ~ 'INDEX CONCURRENTLY' and state = 'active' and now() - query_start > interval '2 s' and datname = current_database() and pid <> pg_backend_pid()",
        ),
      )
      .toHaveLength(1);
    await holder.release();
    expect(await migrating).toBe("undefined");
    expect(await requireMigrated(url)).toBeNull();
  });
});

test("a connection that ends in the middle of a step is a sentence that tells to run it again, and says nothing of what was applied", {
  tag: "@one-engine",
}, async () => {
  await withDatabase("", async ({ url }) => {
    const session = await MigrationSession.open(url, quiet);
    const ended = session.quick("the change", async () => {
      await runSql(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'console-api migrate' and datname = current_database()",
      );
      return "create table made (id int)";
    });
    await expect(ended).rejects.toThrow(
      /^The connection to the database has ended \(.+\)\. The console goes on as before; run the same command again\.$/,
    );
    await expect(ended).rejects.toBeInstanceOf(PlainError);
    await session.close();
  });
});

test("between steps that had to wait, those who waited behind them come through: a request of many statements waits behind a few of them", {
  tag: "@one-engine",
}, async () => {
  await withDatabase(FIRST_VERSION, async ({ url }) => {
    const session = await MigrationSession.open(url, quiet);
    const [holder, page] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([holder.connect(), page.connect()]);
    let isOver = false;
    let steps = 0;
    // Each step waits for the end of a statement of 80 ms.
    const holding = (async () => {
      while (!isOver) await holder.query("select pg_sleep(0.08) from (select count(*) from servers) read");
    })();
    const migrating = (async () => {
      for (; !isOver; steps++) await session.quick("a step", async () => "lock table servers in access exclusive mode");
    })();
    try {
      await expect.poll(() => steps).toBeGreaterThan(1);
      const before = steps;
      // Five requests of eleven statements, as a page has. Without pauses 15 to 20 steps get in between.
      for (let count = 0; count < 5 * 11; count++) await page.query("select count(*) from servers");
      expect(steps - before).toBeLessThanOrEqual(7);
    } finally {
      isOver = true;
      await Promise.all([holding, migrating]);
      await Promise.all([session.close(), holder.end(), page.end()]);
    }
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
