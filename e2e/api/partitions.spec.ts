import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { newAccount, newGameService, newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { runSql } from "@/e2e/support/run-sql";
import { createEmptyDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { DAILY_TABLES, dropDay, listDays, makeDay, makeDays } from "@/lib/database/partitions";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";

const MIGRATION = "20261122110000_daily_partitions";
const startOfDay = (time: number) => Math.floor(time / DAY) * DAY;
const sqlOf = (migration: string) => readFileSync(`prisma/migrations/${migration}/migration.sql`, "utf8");

/** The beginning of a day that no other test uses, decades ahead. */
const unusedDay = () => startOfDay(Date.UTC(2060 + Math.floor(Math.random() * 200), 0, 1)) + nextDay++ * DAY;
let nextDay = 0;

test("the migration keeps every row of tables that hold data, with their constraints, keys and triggers", async () => {
  const database = await createEmptyDatabase();
  try {
    const migrations = readdirSync("prisma/migrations").filter((name) => /^\d/.test(name));
    for (const name of migrations.filter((name) => name < MIGRATION).sort()) await runSql(database.url, sqlOf(name));
    const ages = [40 * DAY, 5 * DAY, 5 * DAY - MINUTE, 2 * HOUR, 0, -10 * DAY];
    const times = ages.map((age) => new Date(Date.now() - age));
    await runSql(
      database.url,
      `insert into accounts (name, email) values ('a', 'a@example.com');
       insert into servers (account_id, label, hostname) values (1, 'l', 'h');
       insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'n', 'j', 'o', 1)`,
    );
    for (const [index, ts] of times.entries()) {
      await runSql(database.url, "insert into telemetry_samples (server_id, ts, cpu_pct) values (1, $1, $2)", [
        ts,
        index,
      ]);
      await runSql(database.url, "insert into metric_samples values (1, $1, 1, $2, 2, 3, 4, 5.5)", [ts, index]);
    }
    const read = async () =>
      Promise.all(DAILY_TABLES.map((table) => runSql(database.url, `select * from ${table} order by ts`)));
    const before = await read();
    await runSql(database.url, sqlOf(MIGRATION));
    expect(await read()).toEqual(before);
    for (const table of DAILY_TABLES) {
      // Rows beyond the retention or far in the future stay in the default partition.
      expect(await runSql(database.url, `select count(*)::int as rows from ${table}_default`)).toEqual([{ rows: 2 }]);
    }
    const insert = (values: string) =>
      runSql(database.url, `insert into telemetry_samples (server_id, ts, cpu_pct) values (${values})`);
    await expect(insert("1, now(), 101")).rejects.toThrow(/telemetry_samples_cpu_pct_range/);
    await expect(insert("2, now(), 1")).rejects.toThrow(/telemetry_samples_server_id_fkey/);
    await expect(insert(`1, '${times[1]?.toISOString()}', 1`)).rejects.toThrow(/pkey/);
    await runSql(
      database.url,
      "insert into telemetry_hours (server_id, hour, samples) values (1, date_trunc('hour', now(), 'UTC') - interval '5 hours', 1)",
    );
    await insert("1, date_trunc('hour', now(), 'UTC') - interval '5 hours', 1");
    expect(await runSql(database.url, "select stale from telemetry_hours")).toEqual([{ stale: true }]);
    await runSql(database.url, "delete from servers");
    await runSql(database.url, "delete from game_services");
    expect(await read()).toEqual([[], []]);
  } finally {
    await database.stop();
  }
});

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
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    select ${serverId}, ${new Date(day)}::timestamptz + n * interval '10 s', 1 from generate_series(-1, 8640) n`;
  await db.$executeRaw`
    insert into metric_samples select ${serviceId}, ${new Date(day)}::timestamptz + n * interval '1 min', 1, 1, 1, 1, 1, 1
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
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts)
    select ${serverId}, ${new Date(day)}::timestamptz + n * interval '4 s' from generate_series(0, 20000) n`;
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
