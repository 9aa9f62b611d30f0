import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { startPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { MINUTE } from "@/lib/format/time";
import { migrate } from "@/scripts/database";
import { MigrationSession } from "@/scripts/migrate/session";
import { isRight } from "@/scripts/soak/judge";
import { addPeople, Load } from "@/scripts/soak/load";

/**
 * In milliseconds: a statement that waits longer for a lock fails, and its request with it. A request of the API and a
 * check-in run three statements at most, so no such request waits for locks for a second.
 */
const LONGEST_WAIT_FOR_A_LOCK = 300;

test("a change of every table beside this version over HTTP: no request fails, and none of the API waits for locks for a second", {
  tag: "@one-engine",
}, async () => {
  needs("postgres");
  const postgres = await startPostgres();
  const quiet = { say() {}, stop: new AbortController().signal };
  try {
    await migrate(postgres.url);
    const people = await addPeople(postgres.url);
    await runSql(postgres.url, `alter database postgres set lock_timeout = '${LONGEST_WAIT_FOR_A_LOCK}ms'`);
    const app = await startConsole(postgres.url);
    // Tokens that are used as fast as possible only keep the machine busy.
    const load = new Load([app.origin], { ...people, greedy: [] });
    let calm = 0;
    const session = await MigrationSession.open(postgres.url, quiet);
    try {
      const proceed = async (requests: number) => {
        const end = load.answers.length + requests;
        await expect.poll(() => load.answers.length).toBeGreaterThan(end);
      };
      load.start(postgres.url);
      await proceed(200);
      calm = load.answers.length;
      const tables = await runSql<{ name: string }>(
        postgres.url,
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
           and not relispartition order by 1`,
      );
      expect(tables.length).toBeGreaterThan(20);
      const change = (name: string) => `alter table "${name}" add next_version int`;
      for (const { name } of tables) {
        await session.quick(name, async () => change(name), 2 * MINUTE);
        await proceed(20);
      }
      await proceed(200);
    } finally {
      await session.close();
      await load.stop();
      await app.stop();
    }
    const beside = load.answers.slice(calm);
    expect(beside.filter((answer) => !isRight(answer, []))).toEqual([]);
    const asked = new Set(beside.filter(({ status }) => status === 200).map(({ what }) => what));
    for (const what of ["GET /api/v1/servers", "GET metrics of a service", "a check-in", "the fleet page"]) {
      expect(asked).toContain(what);
    }
  } finally {
    await postgres.stop();
  }
});
