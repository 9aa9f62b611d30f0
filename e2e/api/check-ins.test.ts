import { expect, test } from "vitest";
import { getData } from "@/e2e/support/ask";
import { newAccount, newServer } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { FULL, WEIGHTS } from "@/lib/servers/health-score";
import { parseStabilityRecord, type StabilityRecord } from "@/lib/servers/stability";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { RATED, toRatedServer } from "@/lib/servers/telemetry/past-scores";
import { parseReport } from "@/lib/servers/telemetry/report";
import { listHours, rollUp } from "@/lib/servers/telemetry/roll-ups";

const sample = { cpuPct: 10, memUsedMb: 500, memTotalMb: 1000, uptimeS: 1000 };

test("a first check-in, even in the instant of creation, brings a server online", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId);
  const { createdAt } = await db.server.findUniqueOrThrow({ where: { id }, select: { createdAt: true } });
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
    online: false,
    last_seen: createdAt.getTime(),
  });
  await recordCheckIn(id, {}, createdAt);
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ online: true, latest_sample: null });
});

test("stability counts from the first check-in; one that was delayed moves it back, and a server heard before that was stored counts from its creation", async () => {
  const { id: accountId, token } = await newAccount();
  const now = Date.now();
  const createdAt = new Date(now - 5 * HOUR);
  const { id } = await newServer(accountId, { createdAt, lastSeenAt: createdAt });
  const minutesAgo = (minutes: number) => new Date(now - minutes * MINUTE);
  const stability = async () =>
    (await getData<{ score_components: { stability: number } }>(`/api/v1/servers/${id}`, token)).score_components
      .stability;
  const firstSeen = async () =>
    (await db.server.findUniqueOrThrow({ where: { id }, select: { firstSeenAt: true } })).firstSeenAt;
  // So long that at any time of the clock a part of it is in hours that can be summed up.
  const SPAN = 80;
  const first = minutesAgo(SPAN);
  expect(await firstSeen()).toBeNull();
  for (let minutes = SPAN; minutes >= 0; minutes--) {
    await storeCheckIn(id, parseReport({ sample }), { sampledAt: minutesAgo(minutes), arrivedAt: minutesAgo(minutes) });
  }
  expect(Math.abs(((await firstSeen())?.getTime() ?? 0) - first.getTime())).toBeLessThan(MINUTE);
  expect(await stability()).toBe(1000);
  // The sums of PostgreSQL say so too: no sample was rated worse for the hours before there was a daemon.
  const server = toRatedServer(await db.server.findUniqueOrThrow({ where: { id }, select: RATED }));
  await expect.poll(() => rollUp(server, Date.now() - 6 * HOUR, Date.now())).toBe(true);
  const { score } = await getData<{ score: number }>(`/api/v1/servers/${id}`, token);
  const hours = await listHours(id, Date.now() - 6 * HOUR, Date.now());
  // An hour of which only its last seconds had check-ins has no full minute, and so no score.
  const scores = hours.flatMap(({ bands }) => bands.score ?? []);
  expect(scores).not.toEqual([]);
  for (const { least, greatest } of scores) {
    expect(least).toBe(greatest);
    // At a full minute the last check-in is up to a minute old, which costs freshness alone.
    expect(score - least).toBeLessThan((WEIGHTS.freshness * FULL) / 100);
  }
  // A sample of before that comes late: the daemon was there, and missed some.
  await storeCheckIn(id, parseReport({ sample }), { sampledAt: minutesAgo(240), arrivedAt: new Date() });
  expect(await stability()).toBe(0);
  // One of before its creation is of a clock that is wrong.
  await storeCheckIn(id, parseReport({ sample }), { sampledAt: minutesAgo(400), arrivedAt: new Date() });
  expect(await firstSeen()).toEqual(createdAt);
  // Heard by a version that did not store it: a check-in of now is not the first.
  await db.server.update({ where: { id }, data: { firstSeenAt: null } });
  await recordCheckIn(id, { sample });
  expect(await firstSeen()).toBeNull();
  expect(await stability()).toBe(0);
});

test("a restart is noticed by the uptime that went down, once", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newServer(accountId, { createdAt: new Date(Date.now() - DAY) });
  const at = (minutes: number) => new Date(Date.now() - 10 * MINUTE + minutes * MINUTE);
  await recordCheckIn(id, { sample }, at(0));
  await recordCheckIn(id, { sample: { ...sample, uptimeS: 20 } }, at(1));
  await recordCheckIn(id, { sample: { ...sample, uptimeS: 80 } }, at(2));
  const { events, minutes } = await stabilityOf(id);
  expect(sum(events.map(({ reboots }) => reboots))).toBe(1);
  expect(sum((minutes.match(/../g) ?? []).map(Number))).toBe(3);
});

test("facts and ip of a sample from beyond its own arrival do not become the newest, and it outranks none that is in time", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId);
  const known = async () => {
    const { facts, public_ip } = await getData<{ facts: { os: string }; public_ip: string }>(
      `/api/v1/servers/${id}`,
      token,
    );
    return [facts.os, public_ip];
  };
  const now = Date.now();
  const report = (os: string, publicIp: string) => ({
    facts: { os, kernel: "6.1", cores: 2 },
    publicIp,
    sample: parseReport({ sample }).sample,
  });
  const at = (arrival: number, ahead: number) => ({
    arrivedAt: new Date(now + arrival),
    sampledAt: new Date(now + arrival + ahead),
  });
  await storeCheckIn(id, report("first", "192.0.2.1"), at(-2 * MINUTE, 0));
  await storeCheckIn(id, report("ahead", "192.0.2.2"), at(-MINUTE, 4 * MINUTE));
  expect(await known()).toEqual(["first", "192.0.2.1"]);
  await storeCheckIn(id, report("in time", "192.0.2.3"), at(0, -SECOND));
  expect(await known()).toEqual(["in time", "192.0.2.3"]);
});

test("a late check-in is stored, never moves last_seen backwards, and is no restart", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId, { createdAt: new Date(Date.now() - DAY) });
  const now = new Date();
  await recordCheckIn(id, { sample }, now);
  const late = { ...sample, cpuPct: 90, uptimeS: sample.uptimeS - 30 };
  await recordCheckIn(id, { sample: late }, new Date(now.getTime() - 30 * SECOND));
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
    last_seen: now.getTime(),
    latest_sample: { ts: now.getTime(), cpu_pct: 10 },
  });
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(2);
  const { events } = await stabilityOf(id);
  expect(sum(events.map(({ reboots }) => reboots))).toBe(0);
});

test("a restart counts in its hour, and late samples correct the counts of restarts in any order", async () => {
  const { id: accountId } = await newAccount();
  const start = Math.floor(Date.now() / HOUR) * HOUR - 6 * HOUR;
  // Minutes after the start, with the uptime in seconds: restarts at 75 and 121.
  const times = [
    [0, 900],
    [1, 960],
    [4, 1140],
    [5, 1200],
    [75, 30],
    [76, 90],
    [119, 2670],
    [121, 20],
    [190, 4160],
  ] as const;
  const filled = [...Array.from({ length: 42 }, (_, i) => [77 + i, 150 + 60 * i] as const)];
  const all = [...times, ...filled].sort(([a], [b]) => a - b);
  const expected = [
    { hour: start / HOUR + 1, reboots: 1, oom_kills: 0 },
    { hour: start / HOUR + 2, reboots: 1, oom_kills: 0 },
  ];
  const shuffled = [...all].sort(([a], [b]) => ((a * 7919) % 101) - ((b * 7919) % 101));
  for (const order of [all, [...all].reverse(), shuffled]) {
    const { id } = await newServer(accountId, { createdAt: new Date(start - DAY) });
    for (const [minute, uptimeS] of order)
      await recordCheckIn(id, { sample: { ...sample, uptimeS } }, new Date(start + minute * MINUTE));
    expect((await stabilityOf(id)).events).toEqual(expected);
  }
});

test("twenty check-ins at once are all counted, one after the other", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newServer(accountId, { createdAt: new Date(Date.now() - DAY) });
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 30 * MINUTE;
  await Promise.all(
    Array.from({ length: 20 }, (_, minute) =>
      recordCheckIn(id, { sample: { ...sample, oomKills: 1, uptimeS: null } }, new Date(start + minute * MINUTE)),
    ),
  );
  const { events } = await stabilityOf(id);
  expect(sum(events.map(({ oom_kills }) => oom_kills))).toBe(20);
});

test("a wrong value is refused by name and nothing of the check-in is kept", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newServer(accountId);
  for (const [report, message] of [
    [{ sample: { ...sample, cpuPct: 101 } }, "sample.cpuPct"],
    [{ sample: { ...sample, memUsedMb: Number.NaN } }, "sample.memUsedMb"],
    [{ publicIp: "not an ip" }, "publicIp"],
    [{ facts: { os: "Debian", kernel: "6.1", cores: 0 } }, "facts.cores"],
  ] as const) {
    const failure = recordCheckIn(id, report as Parameters<typeof recordCheckIn>[1]);
    await expect(failure).rejects.toThrow(InvalidInputError);
    await expect(failure).rejects.toThrow(message);
  }
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(0);
  await expect(recordCheckIn(2 ** 31 - 1, {})).rejects.toThrow(NotFoundError);
});

async function stabilityOf(id: number): Promise<StabilityRecord> {
  const { stability } = await db.server.findUniqueOrThrow({ where: { id }, select: { stability: true } });
  return parseStabilityRecord(stability);
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
