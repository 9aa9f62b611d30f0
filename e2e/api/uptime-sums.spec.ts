import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { openLibrary } from "@/e2e/support/library";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";
import { maintenanceBetween } from "@/lib/servers/events/maintenance-sql";
import { middleOf } from "@/lib/servers/events/uptime-sums";
import { callOffMaintenance, listMaintenance, MOST_MAINTENANCE, planMaintenance } from "@/lib/servers/maintenance";

const ZONE = "Europe/Berlin";

/** A database with one server that has been heard since May, and the product's functions over it. */
async function withServer(use: (url: string, library: Awaited<ReturnType<typeof openLibrary>>) => Promise<void>) {
  const database = await createTestDatabase();
  const library = await openLibrary(database.url);
  try {
    await runSql(
      database.url,
      `insert into accounts (name, email, time_zone) values ('a', 'a@example.com', '${ZONE}');
      insert into servers (account_id, label, hostname, created_at, first_seen_at, last_seen_at)
        values (1, 's', 'h', '2026-05-20T12:00Z', '2026-05-20T12:00Z', '2030-01-01'),
          (1, 'never heard', 'h', '2026-05-20T12:00Z', null, '2026-05-20T12:00Z');
      insert into console_presence (since, until) values ('2026-01-01', '2030-01-01')`,
    );
    await use(database.url, library);
  } finally {
    await library.stop();
    await database.stop();
  }
}

test("a day and a month of the account's zone freeze a day after their end, and stay when their events are gone; an outage over midnight is one of its month; maintenance is left out", async () => {
  await withServer(async (url, library) => {
    const { freezeUptime, listUptimeSums } =
      library.use<typeof import("@/e2e/support/frozen-uptime")>("../e2e/support/frozen-uptime");
    // One over midnight, one that maintenance ends, and one over the end of the month.
    await runSql(
      url,
      `insert into server_events (server_id, kind, started_at, ended_at) values
        (1, 'offline', '2026-06-10T21:00Z', '2026-06-10T23:00Z'),
        (1, 'unknown', '2026-06-12T10:00Z', '2026-06-12T10:30Z'),
        (1, 'unreachable', '2026-06-13T10:00Z', '2026-06-13T10:30Z'),
        (1, 'offline', '2026-06-15T10:00Z', '2026-06-15T12:00Z'),
        (1, 'offline', '2026-06-30T21:00Z', '2026-06-30T22:30Z');
      insert into maintenance_times (server_id, started_at, ended_at) values (1, '2026-06-15T11:00Z', '2026-06-15T13:00Z')`,
    );
    // As those ask who write to somebody about a server.
    const isIn = async (at: string) =>
      (
        await runSql(
          url,
          `select ${maintenanceBetween("1", `'${at}'::timestamptz`, `'${at}'::timestamptz + interval '1 ms'`).sql} is not null as is`,
        )
      )[0]?.is;
    expect([await isIn("2026-06-15T11:00Z"), await isIn("2026-06-15T12:59Z")]).toEqual([true, true]);
    expect([await isIn("2026-06-15T10:59Z"), await isIn("2026-06-15T13:00Z")]).toEqual([false, false]);
    const at = (text: string) => Date.parse(text);
    await freezeUptime(at("2026-07-01T21:59Z"));
    const before = await listUptimeSums(1, "month", 0);
    expect(before.map(({ from, to }) => [from, to])).toEqual([[at("2026-05-19T22:00Z"), at("2026-05-31T22:00Z")]]);
    expect(before[0]?.uptime).toMatchObject({ recorded: 11 * DAY + 10 * HOUR, percent: 100 });
    expect(await freezeUptime(at("2026-07-01T21:59Z"))).toBe(0);
    expect(await listUptimeSums(2, "day", 0)).toEqual([]);
    await freezeUptime(at("2026-07-01T22:00Z"));
    const [, june] = await listUptimeSums(1, "month", 0);
    expect(june).toMatchObject({ from: at("2026-05-31T22:00Z"), to: at("2026-06-30T22:00Z"), zone: ZONE });
    expect(june?.uptime).toEqual({
      recorded: 30 * DAY,
      // Two hours over midnight, one before the maintenance, and one of the last night.
      offline: 4 * HOUR,
      outages: 3,
      unreachable: 30 * MINUTE,
      unknown: 30 * MINUTE,
      maintenance: 2 * HOUR,
      percent: 99.44,
    });
    const days = await listUptimeSums(1, "day", at("2026-06-09T22:00Z"));
    expect(days.slice(0, 2).map(({ uptime }) => [uptime.offline / HOUR, uptime.outages])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    // Nothing changes them any more.
    await runSql(url, "delete from server_events; delete from maintenance_times");
    await freezeUptime(at("2026-08-02T00:00Z"));
    const after = await listUptimeSums(1, "month", 0);
    expect(after.slice(0, 2)).toEqual([before[0], june]);
    expect(after).toHaveLength(3);
    expect(after[2]?.uptime).toMatchObject({ recorded: 31 * DAY, percent: 100 });
    // The clocks are put back in October: its month has an hour more.
    // At most 62 days at once; the next sweep goes on.
    for (const _ of [1, 2]) await freezeUptime(at("2026-11-02T00:00Z"));
    const october = (await listUptimeSums(1, "month", at("2026-09-30T00:00Z")))[0];
    expect(october?.uptime.recorded).toBe(31 * DAY + HOUR);
  });
});

test("an account that changes its zone, to the east or to the west, has each month once, and each moment in one day and in one month", async () => {
  await withServer(async (url, library) => {
    const { freezeUptime, listUptimeSums } =
      library.use<typeof import("@/e2e/support/frozen-uptime")>("../e2e/support/frozen-uptime");
    await runSql(
      url,
      `insert into server_events (server_id, kind, started_at, ended_at)
        select 1, 'offline', at, at + interval '1 hour' from generate_series('2026-06-01T00:30Z', '2026-12-05', interval '5 hours') at`,
    );
    // The furthest zones there are, on the first day of a month, on its last one, and in its middle.
    for (const [until, zone] of [
      ["2026-07-02T12:00Z", "Pacific/Pago_Pago"],
      ["2026-07-17T00:00Z", "Pacific/Kiritimati"],
      ["2026-08-01T11:00Z", "Pacific/Pago_Pago"],
      ["2026-09-02T11:30Z", "Pacific/Kiritimati"],
      ["2026-10-02T00:00Z", "America/New_York"],
      ["2026-11-20T00:00Z", "Asia/Tokyo"],
      ["2026-12-10T00:00Z", "UTC"],
    ] as const) {
      await freezeUptime(Date.parse(until));
      await runSql(url, `update accounts set time_zone = '${zone}'`);
    }
    const [days, months] = [await listUptimeSums(1, "day", 0), await listUptimeSums(1, "month", 0)];
    expect(months.map((month) => new Date(middleOf(month)).toISOString().slice(0, 7))).toEqual(
      [5, 6, 7, 8, 9, 10, 11].map((month) => `2026-${String(month).padStart(2, "0")}`),
    );
    for (const [index, { from }] of months.entries()) expect(from).toBe(months[index - 1]?.to ?? days[0]?.from);
    for (const [index, { from }] of days.entries()) expect(from).toBe(days[index - 1]?.to ?? months[0]?.from);
    const end = months.at(-1)?.to ?? 0;
    const sumOf = (sums: typeof days, name: "recorded" | "offline") =>
      sums.filter(({ to }) => to <= end).reduce((sum, { uptime }) => sum + uptime[name], 0);
    for (const name of ["recorded", "offline"] as const) expect(sumOf(months, name)).toBe(sumOf(days, name));
    expect(sumOf(months, "recorded")).toBe(end - Date.parse("2026-05-20T12:00Z"));
    for (const { from, to } of days) expect(to - from).toBeLessThanOrEqual(25 * HOUR);
  });
});

test("sums of uptime go after five years, and maintenance with the events of its time", async () => {
  await withServer(async (url, library) => {
    const { deleteOld } = library.use<typeof import("@/e2e/support/frozen-uptime")>("../e2e/support/frozen-uptime");
    await runSql(
      url,
      `insert into uptime_sums (server_id, unit, started_at, ended_at, zone, recorded_ms, offline_ms, unreachable_ms, unknown_ms, maintenance_ms, outages, carried)
        select 1, unit, at, at + interval '1 day', 'UTC', 1, 0, 0, 0, 0, 0, 0
        from unnest(array['day', 'month']) unit, unnest(array['2021-11-01', '2021-12-01']::timestamptz[]) at;
      insert into maintenance_times (server_id, started_at, ended_at) values (1, '2025-09-01', '2025-09-02'), (1, '2025-12-01', '2025-12-02')`,
    );
    await deleteOld(Date.parse("2026-11-23T00:00Z"), 400);
    expect(await runSql(url, "select unit, started_at from uptime_sums order by 1")).toEqual([
      { unit: "day", started_at: new Date("2021-12-01") },
      { unit: "month", started_at: new Date("2021-12-01") },
    ]);
    expect(await runSql(url, "select started_at from maintenance_times")).toEqual([
      { started_at: new Date("2025-12-01") },
    ]);
  });
});

test("maintenance is a minute to 31 days, never overlaps, begins at most a day ago and a year ahead, is a hundred times at most, and is its account's alone; of several servers it is of all or of none, and planned once; each refusal is a sentence", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newReportingServer(accountId);
  const { id: second } = await newReportingServer(accountId);
  const { label } = await db.server.findUniqueOrThrow({ where: { id } });
  const { id: strangers } = await newReportingServer((await newAccount()).id);
  const now = Math.floor(Date.now() / HOUR) * HOUR;
  const plan = async (from: number, to: number, servers = [id], account = accountId) => {
    const fields = { from: clockField(from, "UTC"), to: clockField(to, "UTC") };
    const result = await planMaintenance(account, servers, fields, "UTC", now);
    return result.kind === "invalid" ? result.message : result.kind;
  };
  const plannedOf = (serverId: number) => db.maintenanceTime.count({ where: { serverId } });
  expect(await plan(now, now + HOUR)).toBe("planned");
  const overlap = `^Nothing was planned: ${label} has maintenance already from .* to .* \\(UTC\\)`;
  expect(await plan(now + 30 * MINUTE, now + 2 * HOUR, [id, second])).toMatch(new RegExp(`${overlap}\\.$`));
  for (const servers of [
    [second, strangers],
    [second, 0],
  ]) {
    expect(await plan(now, now + HOUR, servers)).toBe("not-found");
  }
  expect(await plan(now, now + HOUR, [])).toBe("Choose at least one server.");
  expect([await plannedOf(second), await plannedOf(strangers)]).toEqual([0, 0]);
  // A double tap, in another order, with one that has it already.
  const twice = await Promise.all([plan(now, now + HOUR, [id, second, second]), plan(now, now + HOUR, [second, id])]);
  expect(twice).toEqual(["planned", "planned"]);
  expect([await plannedOf(id), await plannedOf(second)]).toEqual([1, 1]);
  expect(await plan(now + 30 * MINUTE, now + 2 * HOUR, [id, second])).toMatch(
    new RegExp(`${overlap}, and 1 other server at this time, too\\.$`),
  );
  expect(await plan(now + HOUR, now + HOUR)).toBe("Maintenance lasts a minute at least.");
  expect(await plan(now + HOUR, now)).toBe("This time ends before it begins.");
  expect(await plan(now + HOUR, now + 40 * DAY)).toBe("Maintenance lasts 31 days at most.");
  expect(await plan(now - 25 * HOUR, now)).toBe(
    "It can be entered until a day after it began. An older outage stays in the uptime.",
  );
  expect(await plan(now + 367 * DAY, now + 368 * DAY)).toBe("It can be planned a year ahead.");
  expect(await planMaintenance(accountId, [id], { from: "tomorrow" }, "UTC")).toMatchObject({
    kind: "invalid",
    message: "Enter both times, each with a date and a time.",
  });
  expect(await plan(now + 2 * HOUR, now + 3 * HOUR, [id], (await newAccount()).id)).toBe("not-found");
  expect(await plan(now - 20 * HOUR, now - HOUR)).toBe("planned");
  expect(await plan(now + 2 * HOUR, now + 3 * HOUR)).toBe("planned");
  // What goes on ends; what has not begun is gone, and so is what is over and began within a day. The rest stays.
  const times = { startedAt: new Date(now - 25 * HOUR), endedAt: new Date(now - 24 * HOUR) };
  const frozen = await db.maintenanceTime.create({ data: { serverId: id, ...times } });
  const [mistake, going, coming] = await listMaintenance(id, new Date(now + MINUTE));
  const off = (maintenance: { id: number } | undefined, account = accountId) =>
    callOffMaintenance(account, id, maintenance?.id ?? 0, new Date(now + MINUTE));
  expect(await off(coming, (await newAccount()).id)).toBe(false);
  expect([await off(frozen), await off(mistake), await off(going)]).toEqual([false, true, true]);
  expect([await off(coming), await off(coming)]).toEqual([true, false]);
  const rows = await db.maintenanceTime.findMany({ where: { serverId: id }, orderBy: { startedAt: "asc" } });
  expect(rows.map(({ endedAt }) => endedAt.getTime())).toEqual([now - 24 * HOUR, now + MINUTE]);
  await db.maintenanceTime.createMany({
    data: Array.from({ length: MOST_MAINTENANCE - 2 }, (_, index) => ({
      ...{ serverId: id, startedAt: new Date(index * DAY), endedAt: new Date(index * DAY + HOUR) },
    })),
  });
  expect(await plan(now + 5 * HOUR, now + 6 * HOUR, [second, id])).toBe(
    `Nothing was planned: ${label} has 100 times of maintenance already, past ones included. That is the most.`,
  );
  expect(await plannedOf(second)).toBe(1);
});
