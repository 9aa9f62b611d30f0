import pg from "pg";
import { expect, test } from "vitest";
import { command } from "@/e2e/support/command";
import { newAccount, newGameService, newServer } from "@/e2e/support/factories";
import { insert, runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { DAILY_TABLES, dropDay, listDays, makeDay, makeDays } from "@/lib/database/partitions";
import { DAY } from "@/lib/format/time";

const startOfDay = (time: number) => Math.floor(time / DAY) * DAY;

/** The beginning of a day that no other test uses, decades ahead. */
const unusedDay = () => startOfDay(Date.UTC(2060 + Math.floor(Math.random() * 200), 0, 1)) + nextDay++ * DAY;
let nextDay = 0;

test("rows of any time are taken, with the ranges, keys and triggers of the table, and go with their owner", async () => {
  const database = await createTestDatabase();
  try {
    await runSql(
      database.url,
      `insert into accounts (name, email) values ('a', 'a@example.com');
       insert into servers (account_id, label, hostname) values (1, 'l', 'h');
       insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'n', 'j', 'o', 1)`,
    );
    const days = [-400, -40, -1, 0, 3, 10, 400];
    for (const table of DAILY_TABLES) {
      const values =
        table === "telemetry_samples"
          ? "1, now() + day * interval '1 day'"
          : "1, now() + day * interval '1 day', 1, 1, 2, 3, 4, 5.5";
      await runSql(database.url, `insert into ${table} select ${values} from unnest($1::int[]) day`, [days]);
      expect(await runSql(database.url, `select count(*)::int as rows from ${table}`)).toEqual([{ rows: days.length }]);
      // Those of days without a partition: the past, and what lies more than three days ahead.
      expect(await runSql(database.url, `select count(*)::int as rows from ${table}_default`)).toEqual([{ rows: 5 }]);
    }
    const insert = (values: string) =>
      runSql(database.url, `insert into telemetry_samples (server_id, ts, cpu_pct) values (${values})`);
    await expect(insert("1, now(), 101")).rejects.toThrow(/telemetry_samples_cpu_pct_range/);
    await expect(insert("2, now(), 1")).rejects.toThrow(/telemetry_samples_server_id_fkey/);
    await expect(insert("1, (select min(ts) from telemetry_samples), 1")).rejects.toThrow(/pkey/);
    await runSql(
      database.url,
      "insert into telemetry_hours (server_id, hour, samples) values (1, date_trunc('hour', now(), 'UTC') - interval '5 hours', 1)",
    );
    await insert("1, date_trunc('hour', now(), 'UTC') - interval '5 hours', 1");
    expect(await runSql(database.url, "select stale from telemetry_hours")).toEqual([{ stale: true }]);
    await runSql(database.url, "delete from servers");
    await runSql(database.url, "delete from game_services");
    for (const table of DAILY_TABLES) expect(await runSql(database.url, `select * from ${table}`)).toEqual([]);
  } finally {
    await database.stop();
  }
});

test("of a partition before the days the sweep deletes the rows as they pass their time, and drops it when all have", async () => {
  const database = await createTestDatabase();
  const { url } = database;
  const sweep = async () => expect(await command(["sweep"], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  try {
    await runSql(
      url,
      `insert into accounts (name, email) values ('a', 'a@example.com');
       insert into servers (account_id, label, hostname) values (1, 'l', 'h');
       insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'n', 'j', 'o', 1)`,
    );
    for (const table of DAILY_TABLES) {
      await runSql(url, `create table ${table}_before (like ${table} including defaults including constraints)`);
      await attachBefore(url, table, "date_trunc('day', now(), 'UTC')");
    }
    await runSql(
      url,
      `insert into telemetry_samples (server_id, ts) select 1, now() - i * interval '24 hours' from generate_series(1, 60) i;
       insert into metric_samples select 1, now() - i * interval '24 hours', 1, 1, 1, 1, 1, 1 from generate_series(1, 20) i`,
    );
    await sweep();
    for (const [table, days] of [
      ["telemetry_samples", 31],
      ["metric_samples", 8],
    ] as const) {
      const [kept] = await runSql(
        url,
        `select extract(day from now() - min(ts))::int as oldest, count(*)::int as rows from ${table}_before`,
      );
      expect(kept?.oldest).toBeLessThanOrEqual(days);
      expect(kept?.rows).toBeGreaterThanOrEqual(days - 1);
      expect(kept?.rows).toBeLessThanOrEqual(days);
      // As it will be in some weeks: its end lies further back than anything is kept.
      await runSql(url, `delete from ${table}; alter table ${table} detach partition ${table}_before`);
      await attachBefore(url, table, "'2026-01-01'");
    }
    await sweep();
    expect(await runSql(url, "select relname from pg_class where relname ~ '_before'")).toEqual([]);
  } finally {
    await database.stop();
  }
});

async function attachBefore(url: string, table: string, end: string): Promise<void> {
  const [row] = await runSql<{ until: string }>(url, `select (${end}::timestamptz)::text as until`);
  await runSql(
    url,
    `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${row?.until}')`,
  );
}

test("today and the next three days have a partition, made once by instances that all try at the same moment", async () => {
  await Promise.all([makeDays(Date.now()), makeDays(Date.now()), makeDays(Date.now())]);
  const today = startOfDay(Date.now());
  for (const table of DAILY_TABLES) {
    expect(await listDays(table)).toEqual(expect.arrayContaining([0, 1, 2, 3].map((n) => today + n * DAY)));
  }
  const ahead = unusedDay();
  const outcomes = await Promise.all([1, 2, 3].map(() => makeDay("metric_samples", ahead)));
  expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === "exists")).toHaveLength(2);
  expect(await dropDay("metric_samples", ahead)).toBe(true);
});

test("rows of a day that lie in the DEFAULT partition move into the day's own, and no reader misses one meanwhile", async () => {
  const { id: accountId } = await newAccount();
  const { id: serverId } = await newServer(accountId);
  const { id: serviceId } = await newGameService(accountId);
  const day = unusedDay();
  await insert`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    select ${serverId}::int, ${new Date(day)}::timestamptz + n * interval '10 s', 1 from generate_series(-1, 8640) n`;
  await insert`
    insert into metric_samples select ${serviceId}::int, ${new Date(day)}::timestamptz + n * interval '1 min', 1, 1, 1, 1, 1, 1
    from generate_series(-1, 1440) n`;
  const counts = () =>
    Promise.all([db.telemetrySample.count({ where: { serverId } }), db.metricSample.count({ where: { serviceId } })]);
  const seen: number[][] = [];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) seen.push(await counts());
  })();
  for (const table of DAILY_TABLES) expect(await makeDay(table, day)).toBe("made");
  isOver = true;
  await reading;
  seen.push(await counts());
  expect(new Set(seen.map(String))).toEqual(new Set(["8642,1442"]));
  const inside = async (table: string) => {
    const name = `${table}_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
    const [row] = await db.$queryRawUnsafe<{ rows: number }[]>(`select count(*)::int as rows from ${name}`);
    return row?.rows;
  };
  // The last of the day before and the first of the day after stay outside.
  expect([await inside("telemetry_samples"), await inside("metric_samples")]).toEqual([8640, 1440]);
  for (const table of DAILY_TABLES) expect(await dropDay(table, day)).toBe(true);
  expect(await counts()).toEqual([2, 2]);
  expect(await dropDay("telemetry_samples", day)).toBe(false);
});

test("a day of which the DEFAULT partition holds more than can be moved at once stays there, readable and writable", async () => {
  const { id: serverId } = await newServer((await newAccount()).id);
  const day = unusedDay();
  await insert`
    insert into telemetry_samples (server_id, ts)
    select ${serverId}::int, ${new Date(day)}::timestamptz + n * interval '4 s' from generate_series(0, 20000) n`;
  expect(await makeDay("telemetry_samples", day)).toBe("too many");
  await db.telemetrySample.create({ data: { serverId, ts: new Date(day + 1) } });
  expect(await db.telemetrySample.count({ where: { serverId } })).toBe(20_002);
  await db.$executeRaw`delete from telemetry_samples where server_id = ${serverId}`;
});

test("making and dropping a day wait for a transaction that holds the table, and hold up nobody who reads behind them", async () => {
  const day = unusedDay();
  const holder = new pg.Client(process.env.DATABASE_URL);
  await holder.connect();
  const whileHeld = async (task: () => Promise<unknown>) => {
    await holder.query("begin");
    await holder.query("select count(*) from telemetry_samples");
    let isDone = false;
    const working = task().finally(() => {
      isDone = true;
    });
    // The embedded database has one session, and the transaction occupies it.
    const readers = process.env.E2E_POSTGRES_URL ? 20 : 0;
    for (let reader = 0; reader < readers; reader++) {
      await db.telemetrySample.count({ where: { serverId: 0 } });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(isDone).toBe(false);
    await holder.query("commit");
    return working;
  };
  try {
    expect(await whileHeld(() => makeDay("telemetry_samples", day))).toBe("made");
    expect(await whileHeld(() => dropDay("telemetry_samples", day))).toBe(true);
  } finally {
    await holder.end();
  }
});
