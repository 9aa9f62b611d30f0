import { expect, onTestFinished, test } from "vitest";
import { newAccount, newServer, putEvents } from "@/e2e/support/factories";
import { databaseNow, sendSample } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { listDays } from "@/lib/servers/events/days";
import { listEvents } from "@/lib/servers/events/events";
import { getAvailability, UPTIME_RANGES, uptimeOf } from "@/lib/servers/events/uptime";
import { beat, judgesFrom, watchServers } from "@/lib/servers/events/watch";
import { getServer, listFleet } from "@/lib/servers/servers";

async function add(): Promise<{ id: number; accountId: number }> {
  const { id: accountId } = await newAccount();
  return { id: (await newServer(accountId)).id, accountId };
}

const eventsOf = (id: number) => listEvents(id, { from: 0, to: Date.now() + DAY });
const outagesOf = async (id: number) => (await eventsOf(id)).filter(({ kind }) => kind === "offline");

/** The console beat so long ago (ms), and judges since a time (epoch ms). */
async function heartbeat(ago: number, judgesFrom: number): Promise<void> {
  const now = await databaseNow();
  const times = { beatAt: new Date(now - ago), judgesFrom: new Date(judgesFrom) };
  await db.heartbeat.upsert({ where: { id: 1 }, create: times, update: times });
  onTestFinished(async () => {
    await db.heartbeat.deleteMany();
    await db.event.deleteMany({ where: { subject: "console" } });
  });
}
const present = () => heartbeat(5 * SECOND, 0);

test("a server is offline from two minutes after its last check-in to the next", async () => {
  await present();
  const now = await databaseNow();
  const { id, accountId } = await add();
  await sendSample(id, now - 100 * SECOND);
  await watchServers();
  expect(await outagesOf(id)).toEqual([]);
  await db.server.update({ where: { id }, data: { lastSeenAt: new Date(now - 10 * MINUTE) } });
  await Promise.all([watchServers(), watchServers()]);
  await watchServers();
  expect(await outagesOf(id)).toEqual([{ kind: "offline", from: now - 8 * MINUTE, to: null, facts: {} }]);
  expect((await listFleet(accountId))[0]).toMatchObject({ need: "offline", online: false });
  await sendSample(id, now);
  await watchServers();
  expect(await outagesOf(id)).toEqual([{ kind: "offline", from: now - 8 * MINUTE, to: now, facts: {} }]);
  expect((await listFleet(accountId))[0]).toMatchObject({ need: "attention", day: { outages: 1, lastBreakAt: now } });
});

test("after its own absence the console judges no server for two minutes", async () => {
  const now = await databaseNow();
  await heartbeat(31 * SECOND, 0);
  const { id } = await add();
  await sendSample(id, now - 10 * MINUTE);
  await beat();
  expect(await judgesFrom()).toBeNull();
  await watchServers();
  expect(await outagesOf(id)).toEqual([]);
  const [absence] = await db.event.findMany({ where: { subject: "console" } });
  expect([absence?.kind, Math.round(((absence?.endedAt ?? absence?.startedAt)?.getTime() ?? 0) / MINUTE)]).toEqual([
    "away",
    Math.round((await databaseNow()) / MINUTE),
  ]);
  const judges = (await databaseNow()) - 500;
  await heartbeat(1000, judges);
  await watchServers();
  expect(await outagesOf(id)).toMatchObject([{ from: judges, to: null }]);
});

test("a restart of the console within thirty seconds is no absence", async () => {
  await heartbeat(25 * SECOND, 0);
  await beat();
  expect(await judgesFrom()).toBe(0);
  expect(await db.event.count({ where: { subject: "console" } })).toBe(0);
  await db.heartbeat.deleteMany();
  expect(await judgesFrom()).toBeNull();
  await beat();
  expect(await judgesFrom()).toBeNull();
});

test("a clock of PostgreSQL that has jumped since the last beat judges nobody", async () => {
  const { id } = await add();
  await sendSample(id, (await databaseNow()) - 10 * MINUTE);
  for (const ago of [40 * SECOND, HOUR, -HOUR]) {
    await heartbeat(ago, 0);
    await watchServers();
    expect(await outagesOf(id)).toEqual([]);
  }
  await heartbeat(SECOND, 0);
  await watchServers();
  expect(await outagesOf(id)).toHaveLength(1);
});

test("a PostgreSQL clock that ran ahead is an absence, and its dates are corrected", async () => {
  const now = await databaseNow();
  await heartbeat(-HOUR, 0);
  const [living, dead] = [await add(), await add()];
  for (const { id } of [living, dead]) await sendSample(id, now + HOUR);
  await beat();
  expect(await judgesFrom()).toBeNull();
  await watchServers();
  const at = (await databaseNow()) + SECOND;
  expect(await sendSample(living.id, at, { cpuPct: 33 })).toBe(true);
  const server = await getServer(living.accountId, String(living.id));
  expect([server.last_seen, server.latest_sample?.cpu_pct]).toEqual([at, 33]);
  const { lastSeenAt } = await db.server.findUniqueOrThrow({ where: { id: dead.id } });
  expect(lastSeenAt?.getTime()).toBeLessThanOrEqual(await databaseNow());
  // Two minutes later.
  await db.server.update({ where: { id: dead.id }, data: { lastSeenAt: new Date(now - 3 * MINUTE) } });
  await heartbeat(SECOND, now);
  await watchServers();
  expect(await outagesOf(dead.id)).toHaveLength(1);
  expect(await outagesOf(living.id)).toEqual([]);
});

test("a server that checks in while the watch looks has no event", async () => {
  await present();
  const { id } = await add();
  await sendSample(id, (await databaseNow()) - 10 * MINUTE);
  await db.$transaction(async (tx) => {
    await tx.server.update({ where: { id }, data: { lastSeenAt: new Date(await databaseNow()) } });
    await watchServers();
  });
  await watchServers();
  expect(await outagesOf(id)).toEqual([]);
});

test("bad scores, full disks and wrong clocks are events once they have held", async () => {
  const { id, accountId } = await add();
  const start = Math.floor((await databaseNow()) / MINUTE) * MINUTE - 90 * MINUTE;
  const bad = { cpuPct: 100, memUsedMb: 1000, diskUsedPct: 97.4, netLossPct: 20 };
  for (let minute = 0; minute < 20; minute++) await sendSample(id, start + minute * MINUTE, bad);
  const begun = await eventsOf(id);
  expect(begun.map(({ kind, from, to }) => [kind, (from - start) / MINUTE, to]).sort()).toEqual([
    ["critical", 0, null],
    ["disk_full", 0, null],
    ["strained", 0, null],
  ]);
  expect(begun.find(({ kind }) => kind === "disk_full")?.facts).toEqual({ percent: 97 });
  expect(begun.find(({ kind }) => kind === "critical")?.facts).toMatchObject({ cause: "cpu" });
  const day = (await listDays(accountId, start + 20 * MINUTE))(id);
  expect(day.unwell).toEqual({ at: start, level: "critical" });
  for (let minute = 20; minute < 40; minute++) await sendSample(id, start + minute * MINUTE);
  expect((await eventsOf(id)).map(({ to }) => ((to ?? 0) - start) / MINUTE)).toEqual([20, 20, 20]);
  for (let minute = 40; minute < 55; minute++) {
    const at = start + minute * MINUTE;
    await sendSample(id, at + 2 * MINUTE, {}, { arrivedAt: at });
  }
  expect((await eventsOf(id)).at(-1)).toMatchObject({ kind: "clock_wrong", facts: { seconds: 120 }, to: null });
});

test("fleet, head and uptime count the same outages of a day, without maintenance", async () => {
  const now = await databaseNow();
  const { id, accountId } = await add();
  await sendSample(id, now - 10 * DAY);
  await sendSample(id, now);
  const during = (from: number, to: number) => ({ startedAt: new Date(now - from), endedAt: new Date(now - to) });
  for (const [from, to] of [
    [3 * DAY, 2.5 * DAY],
    [25 * HOUR, 23 * HOUR],
    [6 * HOUR, 5 * HOUR],
    [3 * HOUR, 2 * HOUR],
  ] as const)
    await putEvents(id, { kind: "offline", ...during(from, to) });
  // One outage goes from one maintenance into the next.
  for (const times of [during(4 * HOUR, 2.5 * HOUR), during(2.5 * HOUR, HOUR)])
    await db.maintenanceTime.create({ data: { serverId: id, ...times } });
  const availability = await getAvailability(id, now);
  const said = (range: keyof typeof UPTIME_RANGES) =>
    uptimeOf(availability, { from: now - UPTIME_RANGES[range], to: now });
  expect(said("24 hours")).toMatchObject({ outages: 2, offline: 2 * HOUR, maintenance: 3 * HOUR });
  expect(said("7 days")).toMatchObject({ outages: 3, offline: 15 * HOUR });
  expect((await listDays(accountId, now))(id).outages).toBe(2);
  expect((await listDays(accountId, now, id))(id).outages).toBe(2);
});
