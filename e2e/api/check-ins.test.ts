import { expect, test } from "vitest";
import { getData } from "@/e2e/support/ask";
import { newAccount, newOwnedServer, newServer } from "@/e2e/support/factories";
import { randomAt } from "@/e2e/support/random";
import { recordCheckIn, sampleWith, sendSample } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { listEvents } from "@/lib/servers/events/events";
import { getServer } from "@/lib/servers/servers";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { getHistory } from "@/lib/servers/telemetry/history";

/** The grid of now (epoch ms). */
const onGrid = () => Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND;

async function add(): Promise<{ id: number; accountId: number; detail: () => ReturnType<typeof getServer> }> {
  const { accountId, id } = await newOwnedServer();
  return { id, accountId, detail: () => getServer(accountId, String(id)) };
}

/** The kinds of the events of a server, in order; "…": it goes on. */
async function eventsOf(id: number): Promise<string[]> {
  const events = await listEvents(id, { from: 0, to: Date.now() + DAY });
  return events.map(({ kind, to }) => (to === null ? `${kind}…` : kind)).sort();
}

async function hoursOf(id: number) {
  const hours = await db.telemetryHour.findMany({ where: { serverId: id }, orderBy: { hour: "asc" } });
  return hours.map(({ samples, reboots, oomKills, seen }) => ({
    ...{ samples, reboots, oomKills, minutes: seen.toString(2).replaceAll("0", "").length },
  }));
}

test("a server that was never heard is offline with 500 points and no events", async () => {
  const { id, detail } = await add();
  const server = await detail();
  expect(server).toMatchObject({ score: 500, online: false, latest_sample: null, last_seen: server.created_at });
  expect(await eventsOf(id)).toEqual([]);
  const report = { sample: sampleWith({}) };
  const arrival = { sampledAt: new Date(), arrivedAt: new Date() };
  await expect(storeCheckIn(2_000_000_000, report, arrival)).rejects.toBeInstanceOf(NotFoundError);
});

test("a first check-in, even in the instant of creation, brings a server online", async () => {
  const { id: accountId, token } = await newAccount();
  const createdAt = new Date();
  const { id } = await newServer(accountId, { createdAt });
  await recordCheckIn(id, { facts: { os: "x", kernel: "y", cores: 1 } }, createdAt);
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ online: true, last_seen: createdAt.getTime() });
});

test("a repeated sample within ten seconds stores nothing, but the server counts as seen", async () => {
  const { id, detail } = await add();
  const at = onGrid() - MINUTE;
  expect(await sendSample(id, at, { oomKills: 2 })).toBe(true);
  expect(await sendSample(id, at, { oomKills: 2 }, { arrivedAt: at + 5000 })).toBe(false);
  expect(await sendSample(id, at + 4000, { cpuPct: 99, oomKills: 1, uptimeS: 5 })).toBe(false);
  const facts = { os: "Debian", kernel: "new", cores: 4 };
  const newer = new Date(at + 5000);
  expect(await storeCheckIn(id, { facts, sample: sampleWith({}) }, { sampledAt: newer, arrivedAt: newer })).toBe(false);
  expect(await detail()).toMatchObject({ latest_sample: { ts: at, cpu_pct: 10 }, last_seen: at + 5000, facts });
  expect(await hoursOf(id)).toEqual([{ samples: 1, reboots: 0, oomKills: 2, minutes: 1 }]);
  await sendSample(id, at + 30_000, { uptimeS: 30 });
  expect(await eventsOf(id)).toEqual(["process_killed", "rebooted"]);
});

test("a late sample is stored with its score and changes nothing of the present", async () => {
  const { id, detail } = await add();
  const now = onGrid();
  await sendSample(id, now - 10 * MINUTE, { uptimeS: 50 });
  await sendSample(id, now, { uptimeS: 650 });
  const { score } = await db.telemetrySample.findFirstOrThrow({ where: { serverId: id, at: new Date(now) } });
  expect((await detail()).score).toBe(score);
  const rating = async () => (await db.server.findUniqueOrThrow({ where: { id } })).ratedBy;
  const before = await rating();
  const late = {
    facts: { os: "old", kernel: "k", cores: 1 },
    publicIp: "192.0.2.9",
    sample: sampleWith({ cpuPct: 100, uptimeS: 10, oomKills: 1, failedUnits: 3 }),
  };
  await storeCheckIn(id, late, { sampledAt: new Date(now - 5 * MINUTE), arrivedAt: new Date(now + 1) });
  expect(await detail()).toMatchObject({
    ...{ public_ip: null, facts: {}, last_seen: now + 1, latest_sample: { ts: now, cpu_pct: 10 } },
  });
  expect(await rating()).toEqual(before);
  expect(await eventsOf(id)).toEqual(["process_killed"]);
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(3);
});

test("last_seen never moves back, and a check-in counts from its arrival at the latest", async () => {
  const { id, detail } = await add();
  const now = onGrid();
  await sendSample(id, now - 30_000, {}, { arrivedAt: now });
  await sendSample(id, now - 20_000, {}, { arrivedAt: now - 15_000 });
  expect(await detail()).toMatchObject({ last_seen: now });
  const { firstSeenAt } = await db.server.findUniqueOrThrow({ where: { id } });
  expect(firstSeenAt?.getTime()).toBe(now - 30_000);
});

test("a backlog sent oldest first gives the same history as check-ins in time", async () => {
  const now = onGrid();
  const [inTime, later] = [await add(), await add()];
  for (let n = 0; n < 240; n++) {
    const at = now - 2 * HOUR + n * 30 * SECOND;
    const over = {
      ...{ cpuPct: n % 100, uptimeS: n < 100 ? 5000 + n * 30 : (n - 99) * 30 },
      ...{ diskUsedPct: n > 50 ? 95 : 40, oomKills: n === 90 ? 1 : 0, failedUnits: n > 80 && n < 120 ? 2 : 0 },
    };
    await sendSample(inTime.id, at, over);
    await sendSample(later.id, at, over, { arrivedAt: now + n });
  }
  const [one, other] = await Promise.all([inTime, later].map(({ id }) => getHistory(id, "24h", now)));
  expect(other?.points).toEqual(one?.points);
  expect(await hoursOf(later.id)).toEqual(await hoursOf(inTime.id));
  expect(await eventsOf(later.id)).toEqual(await eventsOf(inTime.id));
  expect(await eventsOf(later.id)).toContain("disk_full…");
  const ratingOf = ({ id }: { id: number }) =>
    db.server.findUniqueOrThrow({ where: { id }, select: { stability: true, ratedBy: true, sample: true } });
  expect(await ratingOf(later)).toEqual(await ratingOf(inTime));
});

test("stability counts minutes with a check-in in the 24 hours before the sample", async () => {
  const { id, detail } = await add();
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  for (let n = 100; n >= 0; n--) if (n % 4 !== 0 || n === 100) await sendSample(id, now - n * MINUTE);
  const { ratedBy } = await db.server.findUniqueOrThrow({ where: { id } });
  expect((ratedBy as { coveragePct: number }).coveragePct).toBeCloseTo((75 / 99) * 100, 6);
  expect((await detail()).score_components.stability).toBe(0);
});

test("the minutes of the console's own absence are taken off what stability expects", async () => {
  const { id } = await add();
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const away = { startedAt: new Date(now - 40 * MINUTE), endedAt: new Date(now - 20 * MINUTE) };
  const absence = { subject: "console", subjectId: 0, kind: "away" };
  await db.event.create({ data: { ...absence, ...away } });
  for (let n = 60; n >= 0; n--) if (n > 40 || n <= 20) await sendSample(id, now - n * MINUTE);
  await db.event.deleteMany({ where: absence });
  expect((await db.server.findUniqueOrThrow({ where: { id } })).stability).toBe(1000);
});

test("a sample dated ahead stays the present until time catches up; none is lost", async () => {
  const { id, detail } = await add();
  const now = onGrid();
  await sendSample(id, now + 4 * MINUTE, { cpuPct: 80 }, { arrivedAt: now });
  expect(await sendSample(id, now, { cpuPct: 11 }, { arrivedAt: now + 1 })).toBe(true);
  expect(await detail()).toMatchObject({ latest_sample: { cpu_pct: 80 }, last_seen: now + 1 });
  await sendSample(id, now + 5 * MINUTE, { cpuPct: 12 });
  expect(await detail()).toMatchObject({ latest_sample: { cpu_pct: 12 } });
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(3);
});

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test("each hour is the sum of its stored samples, whatever order they arrive in", async () => {
  const { id } = await add();
  let drawn = 1000;
  const upTo = (most: number) => randomAt(drawn++) * most;
  const from = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
  const times = Array.from({ length: 60 }, () => from + Math.floor(upTo(7200)) * SECOND);
  const all = [...times, ...times.slice(0, 20)].sort(() => upTo(1) - 0.5);
  for (const at of all) {
    const over = { cpuPct: Math.round(upTo(100)), memUsedMb: upTo(1) < 0.2 ? null : upTo(1000) };
    await sendSample(id, at, { ...over, oomKills: upTo(1) < 0.1 ? 2 : 0 }, { arrivedAt: from + 3 * HOUR });
  }
  const samples = await db.telemetrySample.findMany({ where: { serverId: id } });
  const hours = await db.telemetryHour.findMany({ where: { serverId: id } });
  for (const hour of hours) {
    const own = samples.filter(({ at }) => Math.floor(at.getTime() / HOUR) * HOUR === hour.hour.getTime());
    const scores = own.map(({ score }) => score);
    expect(hour).toMatchObject({ samples: own.length, scoreMin: Math.min(...scores), scoreMax: Math.max(...scores) });
    expect(hour.scoreAvg).toBeCloseTo(meanOf(scores), 1);
    // Some samples lack it: they do not count.
    expect(hour.memUsedPctAvg).toBeCloseTo(meanOf(own.flatMap(({ memUsedPct }) => memUsedPct ?? [])), 2);
    const minutes = new Set(own.map(({ at }) => Math.floor((at.getTime() % HOUR) / MINUTE)));
    expect(hour.seen).toBe([...minutes].reduce((bits, minute) => bits | (1n << BigInt(minute)), 0n));
  }
  expect(hours.reduce((sum, hour) => sum + hour.samples, 0)).toBe(samples.length);
});

test("an hour that the version before moved on is drawn by its values", async () => {
  const { id } = await add();
  const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR);
  const [counts, values] = [
    { seen: 1n, samples: 1, reboots: 0, oomKills: 0, cpuPctCount: 0 },
    { cpuPctMin: 20, cpuPctAvg: 20, cpuPctMax: 20 },
  ];
  await db.telemetryHour.create({ data: { serverId: id, hour, ...counts, ...values } });
  const { points } = await getHistory(id, "7d", Date.now());
  expect(points).toMatchObject([{ bands: { cpuPct: { least: 20, mean: 20, greatest: 20 } } }]);
});

test("concurrent check-ins of one server count once each, and a restart counts once", async () => {
  const { id, detail } = await add();
  const hour = Math.floor(Date.now() / HOUR) * HOUR - HOUR;
  await sendSample(id, hour, { uptimeS: 9e6 });
  const sent = Array.from({ length: 60 }, (_, n) => hour + ((n % 30) + 1) * 30 * SECOND);
  await Promise.all(sent.map((at) => sendSample(id, at, { oomKills: 1, uptimeS: (at - hour) / SECOND })));
  expect(await hoursOf(id)).toEqual([{ samples: 31, reboots: 1, oomKills: 30, minutes: 16 }]);
  expect((await detail()).latest_sample?.ts).toBe(Math.max(...sent));
  // Of one ten seconds.
  const within = Array.from({ length: 8 }, (_, n) => hour + 20 * MINUTE + n * SECOND);
  expect((await Promise.all(within.map((at) => sendSample(id, at)))).filter(Boolean)).toHaveLength(1);
});

test("two daemons with one key are an event, and never count as restarts", async () => {
  const { id } = await add();
  const start = onGrid() - HOUR;
  for (let n = 0; n < 10; n++) {
    const [uptimeS, daemon] = n % 2 ? [100 + 30 * n, "aaaaaaaa"] : [9e6 + 30 * n, "bbbbbbbb"];
    await sendSample(id, start + n * 30 * SECOND, { uptimeS }, { daemon });
  }
  expect((await eventsOf(id)).filter((kind) => kind.startsWith("two"))).toEqual(["two_daemons…"]);
  expect((await hoursOf(id)).reduce((sum, { reboots }) => sum + reboots, 0)).toBeLessThanOrEqual(1);
  for (let n = 0; n < 25; n++) {
    await sendSample(id, start + (10 + n) * 30 * SECOND, { uptimeS: 1000 + n * 30 }, { daemon: "aaaaaaaa" });
  }
  expect(await eventsOf(id)).toContain("two_daemons");
});

test("agent.sh once beside the service is no second daemon; on two machines it is", async () => {
  const { id } = await add();
  const start = onGrid() - HOUR;
  const names = ["aaaaaaaa", "machine-1", "aaaaaaaa", "machine-1", "machine-2"];
  for (const [n, daemon] of names.entries()) await sendSample(id, start + n * MINUTE, {}, { daemon });
  expect(await eventsOf(id)).toEqual([]);
  await sendSample(id, start + 5 * MINUTE, {}, { daemon: "machine-1" });
  expect(await eventsOf(id)).toEqual(["two_daemons…"]);
});

test("turns of two daemons end when PostgreSQL's clock jumps back", async () => {
  const { id } = await add();
  const start = onGrid() - HOUR;
  for (let n = 0; n < 4; n++) await sendSample(id, start + n * MINUTE, {}, { daemon: n % 2 ? "aaaaaaaa" : "bbbbbbbb" });
  expect(await eventsOf(id)).toContain("two_daemons…");
  await sendSample(id, start - HOUR, {}, { daemon: "aaaaaaaa" });
  expect(await eventsOf(id)).toContain("two_daemons");
});

test("failed services are an event until a report says that none has failed", async () => {
  const { id } = await add();
  const start = onGrid() - HOUR;
  await sendSample(id, start, { failedUnits: 2 });
  await sendSample(id, start + MINUTE, { failedUnits: null });
  expect(await eventsOf(id)).toEqual(["unit_failed…"]);
  expect((await db.server.findUniqueOrThrow({ where: { id } })).stability).toBe(800);
  await sendSample(id, start + 2 * MINUTE);
  expect(await eventsOf(id)).toEqual(["unit_failed"]);
});

test("a sample of a day without a partition makes the day, and is stored", async () => {
  const { id } = await add();
  const at = onGrid() - 300 * DAY;
  expect(await sendSample(id, at)).toBe(true);
  expect(await db.telemetrySample.count({ where: { serverId: id, at: new Date(at) } })).toBe(1);
});

test("no index holds the last check-in, so that check-ins stay HOT updates", async () => {
  const indexes = await db.$queryRaw<
    { indexdef: string }[]
  >`select indexdef from pg_indexes where tablename = 'servers'`;
  expect(indexes.length).toBeGreaterThan(1);
  for (const { indexdef } of indexes) expect(indexdef).not.toMatch(/seen_at|sampled_at|offline|stability/);
});
