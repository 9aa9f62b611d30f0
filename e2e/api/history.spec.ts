import pg from "pg";
import { newAccount, newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { FACT } from "@/e2e/support/patience";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { insert } from "@/e2e/support/run-sql";
import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { parseCheckInBody } from "@/lib/ingest/check-in-body";
import { listUnwellSince } from "@/lib/servers/events/unwell-since";
import { scoreHealth } from "@/lib/servers/health-score";
import { getServer } from "@/lib/servers/servers";
import { parseStabilityRecord, summariseStability, withCheckIn } from "@/lib/servers/stability";
import {
  type Bands,
  bandsOf,
  type HistoryValues,
  merge,
  parseBands,
  serializeBands,
} from "@/lib/servers/telemetry/bands";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { getEarlierHistory, getHistory, type History, listTrends } from "@/lib/servers/telemetry/history";
import { MOST_EVENTS, rolledUpValues } from "@/lib/servers/telemetry/measurements";
import type { RatedServer } from "@/lib/servers/telemetry/past-scores";
import { parseReport } from "@/lib/servers/telemetry/report";
import { retireSamples } from "@/lib/servers/telemetry/retention";
import {
  keepHours,
  listHours,
  recompute,
  rollUp,
  type SummedHour,
  settledUntil,
} from "@/lib/servers/telemetry/roll-ups";

const CORES = 4;

/** A server that has been there for forty days, without any sample. */
async function oldServer(): Promise<RatedServer & { accountId: number }> {
  const { id: accountId } = await newAccount();
  const createdAt = new Date(Date.now() - 40 * DAY);
  const { id } = await newServer(accountId, { createdAt, lastSeenAt: createdAt, facts: { cores: CORES } });
  return { id, accountId, countsFrom: createdAt, cores: CORES };
}

/** The beginning of the hour of the clock that many hours before the current one, in epoch ms. */
function hourAgo(hours: number): number {
  return (Math.floor(Date.now() / HOUR) - hours) * HOUR;
}

/** Sums up the last three days completely and returns their hours. */
async function summed(server: RatedServer): Promise<SummedHour[]> {
  const from = hourAgo(3 * 24);
  await expect.poll(() => rollUp(server, from, Date.now())).toBe(true);
  return listHours(server.id, from, Date.now());
}

/** A sample every five minutes for so many hours up to `end` (epoch ms; now), inserted as another writer would. */
async function insertSamples(serverId: number, hours: number, end = hourAgo(0)): Promise<void> {
  await insert`
    insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct, net_loss_pct, uptime_s, oom_kills)
    select ${serverId}::int, ts, 40 + (n * 37) % 60, 500 + (n * 13) % 450, 1000, 50, 0.2, (n % 100) * 300, case when n % 97 = 0 then 1 end
    from generate_series(1, ${hours * 12}::int) n, lateral (select to_timestamp(${(end - hours * HOUR) / 1000}::float8) + (n - 1) * interval '5 minutes' as ts) t`;
}

type Random = () => number;

/** Numbers from 0 to 1 that are the same in each run: a failure names its seed. */
function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** What a daemon may report: any of its measurements may be missing. */
function anySample(random: Random) {
  const maybe = (most: number) => (random() < 0.8 ? random() * most : null);
  return {
    cpuPct: maybe(100),
    cpuStealPct: maybe(25),
    cpuIowaitPct: maybe(70),
    load5: maybe(20),
    memUsedMb: maybe(1000),
    memTotalMb: random() < 0.9 ? 1000 : null,
    swapUsedPct: maybe(100),
    diskUsedPct: maybe(100),
    netLossPct: maybe(10),
    netRetransmitPct: maybe(20),
    uptimeS: maybe(100_000),
    oomKills: random() < 0.05 ? 1 : null,
    failedUnits: random() < 0.5 ? Math.floor(random() * 3) : null,
  };
}

test("without late arrivals the score of each full minute in charts and sums is the one that the API answered then, in silences as well", async () => {
  const server = await oldServer();
  const seed = Date.now() % 100_000;
  const random = randomOf(seed);
  const from = hourAgo(27);
  const now = Date.now();
  const answered = new Map<number, number>();
  let at = from + 20 * MINUTE + 17;
  server.countsFrom = new Date(at);
  for (let n = 0; at < now; n++) {
    // The number of cores changes with the machine; most check-ins say nothing of it.
    const facts = n % 20 === 0 ? { os: "Debian", kernel: "6", cores: 1 + Math.floor(random() * 16) } : undefined;
    await recordCheckIn(server.id, { facts, sample: anySample(random) }, new Date(at));
    // Half a minute to three minutes, sometimes up to an hour; and once eleven hours.
    const pause = (0.2 + random() * 2.8) * (random() < 0.1 ? 20 : 1) * MINUTE;
    const next = Math.min(now, Math.round(at + (n === 60 ? 11 * HOUR : pause)));
    for (let minute = Math.ceil(at / MINUTE) * MINUTE; minute < next; minute += MINUTE) {
      answered.set(minute, (await getServer(server.accountId, String(server.id), minute)).score);
    }
    at = next;
  }
  expect(answered.size).toBeGreaterThan(1500);

  const charted = await getHistory(server.accountId, String(server.id), "1h", now);
  const shown = charted.points.flatMap(({ at, bands }) => (bands.score ? [[at, bands.score.mean]] : []));
  const lastHour = [...answered].filter(([minute]) => minute >= charted.from);
  expect(shown, `seed ${seed}`).toEqual(lastHour);
  expect(lastHour.length).toBeGreaterThanOrEqual(59);

  const bandsBy = (step: number) => {
    const bands = new Map<number, Bands>();
    for (const [minute, score] of answered) {
      const start = Math.floor(minute / step) * step;
      bands.set(start, merge(bands.get(start) ?? {}, bandsOf({ score })));
    }
    return [...bands].map(([at, { score }]) => [at, score?.least, score?.greatest, score?.count, score?.mean] as const);
  };
  const day = await getHistory(server.accountId, String(server.id), "24h", now);
  const scores = (steps: { at: number; bands: Bands }[]) =>
    steps.flatMap(({ at, bands: { score } }) =>
      score ? [[at, score.least, score.greatest, score.count, expect.closeTo(score.mean, 2)]] : [],
    );
  expect(
    bandsBy(10 * MINUTE).filter(([at]) => at >= day.from),
    `seed ${seed}`,
  ).toEqual(scores(day.points));
  const least = Math.min(...[...answered].filter(([minute]) => minute >= day.from).map(([, score]) => score));
  expect(day.peaks.score?.value).toBe(least);
  expect(answered.get(day.peaks.score?.at ?? 0)).toBe(least);
  const kept = await summed(server);
  expect(kept.length).toBeGreaterThan(24);
  const hours = scores(kept.map(({ hour, bands }) => ({ at: hour, bands })));
  expect(bandsBy(HOUR).slice(0, hours.length), `seed ${seed}`).toEqual(hours);
});

const WELL = { cpuPct: 10, memUsedMb: 100, memTotalMb: 1000, diskUsedPct: 20, netLossPct: 0 };
const FULL_DISK = { ...WELL, diskUsedPct: 99 };
const OVERLOADED = { ...FULL_DISK, cpuPct: 100, memUsedMb: 990 };

test("a server is not well since its open event began, or else since it was last well for ten minutes; always if it never was, and before its first sample if nothing was recorded then", async () => {
  const { since: recordedSince } = await db.consolePresence.findUniqueOrThrow({ where: { id: 1 } });
  // When events are recorded for long.
  const start = Math.ceil(Date.now() / MINUTE) * MINUTE + HOUR;
  type Phase = readonly [minutes: number, sample: typeof WELL];
  const played = async (begin: number, ...phases: readonly Phase[]) => {
    const { id } = await newServer((await newAccount()).id, {
      createdAt: new Date(begin - MINUTE),
      facts: { cores: 1 },
    });
    let at = begin;
    for (const [minutes, sample] of phases) {
      for (const end = at + minutes * MINUTE; at < end; at += MINUTE) await recordCheckIn(id, { sample }, new Date(at));
    }
    return id;
  };
  const after = (minutes: number) => start + minutes * MINUTE;
  const full = await played(start, [12, WELL], [20, FULL_DISK], [9, WELL], [1, FULL_DISK]);
  const recent = await played(start, [12, WELL], [12, FULL_DISK], [11, WELL], [1, FULL_DISK]);
  const overloaded = await played(start, [12, WELL], [12, FULL_DISK], [12, OVERLOADED]);
  const always = await played(start, [3, WELL], [12, FULL_DISK]);
  const well = await played(start, [12, WELL], [9, FULL_DISK], [1, WELL]);
  const before = await played(recordedSince.getTime() + MINUTE, [2, FULL_DISK]);
  await db.server.update({ where: { id: before }, data: { firstSeenAt: new Date(recordedSince.getTime() - DAY) } });
  const since = await listUnwellSince([full, recent, overloaded, always, well, before]);
  const level = since.get(overloaded)?.level;
  expect(level).not.toBe("healthy");
  expect(since).toEqual(
    new Map([
      [full, { kind: "at", at: after(12), level: "healthy" }],
      [recent, { kind: "at", at: after(35), level: "healthy" }],
      [overloaded, { kind: "at", at: after(24), level }],
      [always, { kind: "always", at: after(3), level: "healthy" }],
      [before, { kind: "before", at: recordedSince.getTime() + MINUTE, level: "healthy" }],
    ]),
  );
  const [event] = await db.serverEvent.findMany({
    where: { serverId: overloaded, kind: String(level), endedAt: null },
  });
  expect(event?.startedAt.getTime()).toBe(after(24));
});

test("a day whose samples are gone is drawn from the sums of its hours, also where another day is compared with it", async () => {
  const server = await oldServer();
  const bands = bandsOf({ score: 900, cpuPct: 40 });
  const hours = Array.from({ length: 24 }, (_, index) => hourAgo(48) + index * HOUR);
  await keepHours(server.id, new Map(hours.map((hour) => [hour, { samples: 60, bands }])));
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    select ${server.id}, ts, 20 from generate_series(${new Date(hourAgo(24))}, now(), interval '1 minute') ts`;
  const history = (from: number, to: number) => getHistory(server.accountId, String(server.id), { from, to });
  const cpuOf = (points: { bands: Bands }[]) => new Set(points.map(({ bands }) => bands.cpuPct?.mean));
  const gone = await history(hourAgo(40), hourAgo(30));
  expect([gone.hoursBecause, gone.step, gone.points.length]).toEqual(["gone", HOUR, 10]);
  expect(cpuOf(gone.points)).toEqual(new Set([40]));
  const kept = await history(hourAgo(16), hourAgo(6));
  expect([kept.hoursBecause, kept.step]).toEqual([null, MINUTE]);
  expect(cpuOf(kept.points)).toEqual(new Set([20]));
  const earlier = await getEarlierHistory(server.accountId, String(server.id), kept, "1d");
  expect([earlier.step, earlier.points.length]).toEqual([HOUR, 10]);
  expect(cpuOf(earlier.points)).toEqual(new Set([40]));
});

/**
 * So many samples up to the end of the hour that is over, as another writer would insert them: of any values, at uneven
 * times, some measurements missing.
 */
async function insertAnySamples(serverId: number, count: number, everySeconds: number): Promise<void> {
  await insert`
    insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5, mem_used_mb, mem_total_mb,
      swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s, oom_kills, failed_units, cores)
    select ${serverId}::int, to_timestamp(${hourAgo(0) / 1000}::float8) - make_interval(secs => ${everySeconds}::float8 * (n - random() * 0.9)),
      case when random() < 0.9 then round((random() * 100)::numeric, 2) end, case when random() < 0.5 then random() * 25 end,
      case when random() < 0.5 then random() * 70 end, random() * 20,
      case when random() < 0.9 then round((random() * 1000)::numeric, 1) end,
      case when random() < 0.9 then 1000 * (random() > 0.05)::int end, case when random() < 0.5 then random() * 100 end,
      case when random() < 0.8 then random() * 100 end, case when random() < 0.5 then random() * 10 end,
      case when random() < 0.5 then random() * 20 end, case when random() < 0.9 then random() * 100000 end,
      case when random() < 0.01 then 2 when random() < 0.5 then 0 end, case when random() < 0.1 then (random() * 3)::int end,
      case when random() < 0.5 then 1 + (random() * 31)::int end
    from generate_series(1, ${count}::int) n`;
}

/** The hours from `from` on, with each minute rated by itself in this process, as check-ins and the API do it. */
async function summedOneByOne({ id, countsFrom, cores }: RatedServer, from: number): Promise<SummedHour[]> {
  const hours = new Map<number, SummedHour>();
  const add = (at: number, values: HistoryValues, samples: number) => {
    const hour = Math.floor(at / HOUR) * HOUR;
    if (hour < from) return;
    const before = hours.get(hour) ?? { hour, samples: 0, bands: {}, late: 0 };
    const bands = merge(before.bands, bandsOf(values));
    hours.set(hour, { ...before, samples: before.samples + samples, bands });
  };
  let record = parseStabilityRecord({});
  const samples = await db.telemetrySample.findMany({ where: { serverId: id }, orderBy: { ts: "asc" } });
  for (const [index, sample] of samples.entries()) {
    const ts = sample.ts.getTime();
    const uptimeBefore = samples[index - 1]?.uptimeS ?? null;
    const hasRestarted = uptimeBefore !== null && sample.uptimeS !== null && sample.uptimeS < uptimeBefore;
    record = withCheckIn(record, ts, {
      restarts: hasRestarted ? 1 : 0,
      oomKills: sample.oomKills ?? 0,
      failedUnits: sample.failedUnits,
    });
    add(ts, rolledUpValues(sample), 1);
    const next = samples[index + 1]?.ts.getTime() ?? hourAgo(0);
    for (let minute = Math.ceil(ts / MINUTE) * MINUTE; minute < next; minute += MINUTE) {
      const stability = summariseStability(record, countsFrom.getTime(), minute);
      const facts = { lastSeenAt: ts, cores: sample.cores ?? cores, sample: { ...sample, ts }, stability };
      add(minute, { score: scoreHealth(facts, minute).score }, 0);
    }
  }
  return [...hours.values()].map(({ bands, ...rest }) => ({ ...rest, bands: parseBands(serializeBands(bands)) }));
}

test("JavaScript and SQL rate every minute alike, whatever was measured, and in a silence of any length", async () => {
  // Added in the middle of its samples, so that both ways of counting the minutes before are there.
  const server = { ...(await oldServer()), countsFrom: new Date(hourAgo(60) + 17 * MINUTE) };
  for (const cores of [CORES, null]) {
    await db.telemetrySample.deleteMany({ where: { serverId: server.id } });
    await db.telemetryHour.deleteMany({ where: { serverId: server.id } });
    await insertAnySamples(server.id, 8000, 37);
    // Silences of twenty minutes, of five hours, and of thirty; and one whose last sample is older than a day.
    for (const [first, hours] of [
      [75.3, 0.34],
      [70.2, 5],
      [50.1, 30],
      [3.2, 1],
    ] as const) {
      const [since, until] = [hourAgo(0) - first * HOUR, hourAgo(0) - (first - hours) * HOUR];
      await db.telemetrySample.deleteMany({
        where: { serverId: server.id, ts: { gte: new Date(since), lt: new Date(until) } },
      });
    }
    const from = hourAgo(81);
    await expect.poll(() => rollUp({ ...server, cores }, from, hourAgo(0))).toBe(true);
    const kept = await listHours(server.id, from, hourAgo(0));
    expect(kept.length).toBeGreaterThan(75);
    const settled = kept.map(({ hour }) => hour);
    const rated = (await summedOneByOne({ ...server, cores }, from)).filter(({ hour }) => settled.includes(hour));
    const means = (hours: SummedHour[]) => hours.flatMap(({ bands }) => Object.values(bands).map(({ mean }) => mean));
    const others = (hours: SummedHour[]) =>
      hours.map(({ hour, samples, late, bands }) =>
        JSON.stringify({ hour: new Date(hour), samples, late, bands }, (name, value) => (name === "mean" ? "" : value)),
      );
    expect(others(kept)).toEqual(others(rated));
    // Rounded to three decimals, a mean in the middle may go either way.
    const expected = means(rated);
    expect(means(kept).filter((mean, index) => Math.abs(mean - (expected[index] ?? 0)) > 0.0011)).toEqual([]);
  }
});

test("whatever numbers a check-in may have, the past that has them is summed up and shown", async () => {
  const server = await oldServer();
  const end = settledUntil(Date.now());
  const [least, most] = [Number.MIN_VALUE, 1e12];
  const smallest = {
    ...{
      cpu_pct: least,
      cpu_steal_pct: least,
      cpu_iowait_pct: least,
      load5: least,
      swap_used_pct: least,
      uptime_s: least,
    },
    ...{ mem_used_mb: least, disk_used_pct: least, net_loss_pct: least, net_retransmit_pct: least },
  };
  const bodies = [{ ...smallest, mem_total_mb: most }, { mem_used_mb: most, mem_total_mb: least }, { load5: most }];
  for (const [index, body] of bodies.entries()) {
    const at = new Date(end - HOUR + index * MINUTE);
    const { report, sampledAt } = parseCheckInBody(Buffer.from(JSON.stringify(body)), at);
    await storeCheckIn(server.id, report, { sampledAt, arrivedAt: at });
  }
  // One every ten seconds for seven hours.
  await db.$executeRaw`insert into telemetry_samples (server_id, ts, oom_kills)
    select ${server.id}, ${new Date(end - 9 * HOUR)}::timestamptz + n * interval '10 seconds', ${MOST_EVENTS} from generate_series(1, 2520) n`;
  const hours = await summed(server);
  expect(hours.map(({ hour, samples }) => [(end - hour) / HOUR, samples]).slice(-9)).toEqual(
    [9, 8, 7, 6, 5, 4, 3, 2, 1].map((hour) => [hour, hour === 9 ? 359 : hour > 2 ? 360 : hour === 2 ? 1 : 3]),
  );
  const { points } = await getHistory(server.accountId, String(server.id), "24h");
  expect(points.find(({ at }) => at === end - HOUR)?.bands).toMatchObject({
    memUsedPct: { least: 0, greatest: 0, count: 1 },
    cpuPct: { least: 0, greatest: 0, count: 1 },
  });
});

test("a flooded server is summed up in statements of a bounded number of samples, and a reader whose time is over ends that after the first", async () => {
  const server = await oldServer();
  await insertAnySamples(server.id, 45_000, 0.5);
  const from = hourAgo(7);
  expect(await rollUp(server, from, hourAgo(0), 0)).toBe(false);
  const atFirst = await db.telemetryHour.count({ where: { serverId: server.id } });
  expect(atFirst).toBeLessThan(5);
  const queries = await recordQueries(async () => {
    while (!(await rollUp(server, from, hourAgo(0))));
  });
  expect(queries.filter(({ text }) => /^with known/.test(text)).length).toBeGreaterThan(1);
  const hours = await db.telemetryHour.findMany({ where: { serverId: server.id, samples: { gt: 0 } } });
  expect(hours.length).toBeGreaterThan(5);
  expect(hours.reduce((sum, { samples }) => sum + samples, 0)).toBeGreaterThan(35_000);
});

test("what another writer inserts, changes or moves later is in the sums as if it had been there from the start", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 60);
  const before = await summed(server);
  expect(before.length).toBeGreaterThanOrEqual(58);
  const at = new Date(hourAgo(40) + 7 * MINUTE);
  for (const change of [
    () => db.$executeRaw`insert into telemetry_samples (server_id, ts, cpu_pct) values (${server.id}, ${at}, 100)`,
    () => db.$executeRaw`
      insert into telemetry_samples (server_id, ts, cpu_pct) values (${server.id}, ${at}, 1)
      on conflict (server_id, ts) do update set cpu_pct = 99`,
    () => db.$executeRaw`
      update telemetry_samples set ts = ts - interval '9 hours', oom_kills = 2
      where server_id = ${server.id} and ts = ${at}`,
  ]) {
    await change();
    const followed = await summed(server);
    expect(followed).not.toEqual(before);
    await recompute(server);
    expect(followed).toEqual(await summed(server));
    before.splice(0, before.length, ...followed);
  }
});

test("a sample that is written into a silence of days changes the score of every hour up to the next sample, and none after it", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 2, hourAgo(70));
  await insertSamples(server.id, 2, hourAgo(3));
  const before = await summed(server);
  // It measured nothing, which counts 500 for each component, where the silence had left nothing of what was measured.
  await db.$executeRaw`insert into telemetry_samples (server_id, ts) values (${server.id}, ${new Date(hourAgo(60) + 30 * MINUTE)})`;
  const after = await summed(server);
  const changed = after.filter(({ bands }, index) => bands.score?.mean !== before[index]?.bands.score?.mean);
  expect(changed.map(({ hour }) => hour)).toEqual(Array.from({ length: 55 }, (_, index) => hourAgo(60 - index)));
  expect(changed.at(-1)?.bands.score).toMatchObject({ least: 375, greatest: 375, count: 60 });
  expect(before.find(({ hour }) => hour === hourAgo(10))?.bands.score).toMatchObject({
    least: 0,
    greatest: 0,
    count: 60,
  });
});

/** Runs a function while an open transaction has stored a sample with 100 % CPU at `at` (epoch ms). */
async function whileWriting(serverId: number, at: number, task: () => Promise<unknown>): Promise<void> {
  const writer = new pg.Client(process.env.DATABASE_URL);
  await writer.connect();
  try {
    await writer.query("begin");
    await writer.query("insert into telemetry_samples (server_id, ts, cpu_pct) values ($1, $2, 100)", [
      serverId,
      new Date(at),
    ]);
    const early = task();
    // The embedded database has one session, so other queries wait for the transaction.
    await Promise.race([early, new Promise((resolve) => setTimeout(resolve, 300))]);
    await writer.query("commit");
    await early;
  } finally {
    await writer.end();
  }
}

test("a sample whose transaction is open while its hour is summed up is not missed", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 20);
  await whileWriting(server.id, hourAgo(10) + MINUTE, () => rollUp(server, hourAgo(20), Date.now()));
  const kept = (await summed(server)).find(({ hour }) => hour === hourAgo(10));
  expect(kept?.bands.cpuPct).toMatchObject({ greatest: 100, count: 13 });
});

test("the sums outlive their samples, and a late sample of a deleted hour does not replace them", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 48);
  const before = await summed(server);
  await db.$executeRaw`delete from telemetry_samples where server_id = ${server.id}`;
  expect(await summed(server)).toEqual(before);
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    values (${server.id}, ${new Date(hourAgo(40) + MINUTE)}, 0)`;
  expect(await summed(server)).toEqual(before);
});

/** Does the work of the hourly sweep on samples, without a time limit. `before` runs before each of its steps. */
async function retire(before = async () => {}): Promise<void> {
  const goesOn = async () => {
    await before();
    return true;
  };
  await retireSamples(Date.now(), { telemetryDays: 31, hoursDays: 400 }, goesOn);
}

/** The end of the last day whose samples are retired, in epoch ms. */
const endOfRetired = () => Math.floor(Date.now() / DAY) * DAY - 31 * DAY;

/** Retires until so many of a server's samples are left. Other tests retire too, and may be in the middle of it. */
async function retireUntil(serverId: number, left: number): Promise<void> {
  const retired = async () => {
    await retire();
    return db.telemetrySample.count({ where: { serverId } });
  };
  await expect.poll(retired).toBe(left);
}

test("samples of days beyond 31 are deleted, also of a server that stopped reporting, and their hours are kept as they were", async () => {
  const server = await oldServer();
  // Not so old that the sweep of another test deletes them before they are summed up.
  const end = endOfRetired();
  await insertSamples(server.id, 30, end);
  const reference = await oldServer();
  await insertSamples(reference.id, 30, end);
  await db.$executeRaw`insert into telemetry_samples (server_id, ts) values (${server.id}, ${new Date(hourAgo(30 * 24))})`;
  const from = end - 40 * HOUR;
  await rollUp(reference, from, end);
  await retireUntil(server.id, 1);
  expect(await listHours(server.id, from, end)).toEqual(await listHours(reference.id, from, end));
  await retireUntil(server.id, 1);
});

test("deleting waits for a transaction that writes an old sample, and sums that up first", async () => {
  const server = await oldServer();
  const end = endOfRetired();
  // The others are written meanwhile, so that the sweep of another test cannot delete them before it begins.
  await whileWriting(server.id, end - 90 * MINUTE + 1, async () => {
    await insertSamples(server.id, 3, end);
    await retire();
  });
  // A sample written during the sweep stays until the next sweep.
  await retireUntil(server.id, 0);
  const kept = await listHours(server.id, end - 3 * HOUR, end);
  expect(kept.map(({ bands }) => bands.cpuPct?.count)).toEqual([12, 13, 12]);
  expect(kept[1]?.bands.cpuPct?.greatest).toBe(100);
});

test("a sample that is written after its hour was summed up, but before the deletion, is summed up by the next sweep", async () => {
  const end = endOfRetired();
  // The sweep of another test may delete the samples first. Then the next server is tried.
  await expect(async () => {
    const server = await oldServer();
    await insertSamples(server.id, 3, end);
    const ts = new Date(end - 90 * MINUTE + 1);
    let isWritten = false;
    await retire(async () => {
      if (isWritten || (await listHours(server.id, end - 3 * HOUR, end)).length < 3) return;
      isWritten = true;
      await db.telemetrySample.create({ data: { serverId: server.id, ts, cpuPct: 100 } });
    });
    expect(isWritten).toBe(true);
    await retireUntil(server.id, 0);
    const kept = await listHours(server.id, end - 3 * HOUR, end);
    expect(kept.map(({ bands }) => bands.cpuPct?.count)).toEqual([12, 13, 12]);
  }).toPass({ timeout: FACT });
});

test("one sample of a month is seen at 30 days, in each of the four times at its place, and gaps stay gaps", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 30 * 24 - 5);
  await db.$executeRaw`update telemetry_samples set cpu_pct = 50 where server_id = ${server.id}`;
  const ago = async (ms: number, pct: number) =>
    db.$executeRaw`
      insert into telemetry_samples (server_id, ts, cpu_pct)
      values (${server.id}, ${new Date(Date.now() - ms)}, ${pct})`;
  await ago(20 * MINUTE + 7, 91);
  await ago(6 * HOUR + 7, 92);
  await ago(3 * DAY + 7, 93);
  await ago(20 * DAY + 7, 94);
  await db.$executeRaw`
    delete from telemetry_samples where server_id = ${server.id}
      and ts between ${new Date(Date.now() - 40 * MINUTE)} and ${new Date(Date.now() - 30 * MINUTE)}`;
  expect(await rollUp(server, hourAgo(31 * 24), Date.now())).toBe(true);
  for (const [range, peak, most] of [
    ["1h", 91, 60],
    ["24h", 92, 144],
    ["7d", 93, 168],
    ["30d", 94, 180],
  ] as const) {
    const { points, from, to, step } = await getHistory(server.accountId, String(server.id), range);
    expect(points.length).toBeLessThanOrEqual(most);
    expect((to - from) / step).toBe(most);
    const greatest = Math.max(...points.map(({ bands }) => bands.cpuPct?.greatest ?? 0));
    expect(greatest, range).toBe(peak);
    expect(points.every(({ at }) => at >= from && at < to && (at - from) % step === 0)).toBe(true);
    expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).sort((a, b) => a - b));
  }
  const { points } = await getHistory(server.accountId, String(server.id), "1h");
  const gap = Date.now() - 35 * MINUTE;
  const within = points.filter(({ at }) => Math.abs(at - gap) < 4 * MINUTE);
  expect(within.map(({ bands }) => [bands.cpuPct, bands.score?.count])).toEqual(within.map(() => [undefined, 1]));
});

test("an operator who deletes a wrong sample has the hours summed up again, and what came before the samples stays", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 48);
  const before = await summed(server);
  const wrong = new Date(hourAgo(10) + MINUTE);
  await db.$executeRaw`insert into telemetry_samples (server_id, ts, cpu_pct) values (${server.id}, ${wrong}, 100)`;
  expect(await summed(server)).not.toEqual(before);
  await db.$executeRaw`
    delete from telemetry_samples where server_id = ${server.id}
      and (ts = ${wrong} or ts < ${new Date(hourAgo(40))})`;
  await recompute(server);
  const after = await summed(server);
  // The scores of a day look back on the day before it, of which the samples are gone.
  const untouched = ({ hour }: SummedHour) => hour < hourAgo(40) || hour >= hourAgo(16);
  expect(after.filter(untouched)).toEqual(before.filter(untouched));
  expect(after).toHaveLength(before.length);
});

test("samples that arrive late correct the scores of their time, and the steps and hours say which minutes were reported later", async () => {
  const server = await oldServer();
  const sample = { cpuPct: 10, memUsedMb: 100, memTotalMb: 1000, diskUsedPct: 20, netLossPct: 0 };
  const start = hourAgo(4);
  // Silent for ninety minutes, of which the last hour is reported at the end.
  for (let at = start; at < start + HOUR; at += MINUTE) await recordCheckIn(server.id, { sample }, new Date(at));
  const back = new Date(start + 2.5 * HOUR);
  await recordCheckIn(server.id, { sample }, back);
  const before = await getHistory(server.accountId, String(server.id), "24h", back.getTime());
  const hours = await summed(server);
  expect(hours.map(({ late }) => late)).toEqual(hours.map(() => 0));
  for (let at = start + 1.5 * HOUR; at < back.getTime(); at += MINUTE) {
    await storeCheckIn(server.id, parseReport({ sample }), { sampledAt: new Date(at), arrivedAt: back });
  }
  const after = await getHistory(server.accountId, String(server.id), "24h", back.getTime());
  const late = ({ points }: History) =>
    points.flatMap(({ at, late }) => (late > 0 ? [[(at - start) / MINUTE, late]] : []));
  expect(late(before)).toEqual([]);
  // The last of them was only a minute late.
  expect(late(after)).toEqual([90, 100, 110, 120, 130, 140].map((step) => [step, step === 140 ? 9 : 10]));
  const least = ({ points }: History) =>
    points.map(({ at, bands }) => [(at - start) / MINUTE, bands.score?.least]).filter(([step = 0]) => step >= 70);
  const silent = least(before)
    .slice(0, 8)
    .map(([, score = 1000]) => score);
  expect(Math.max(...silent)).toBeLessThan(700);
  expect(silent.at(-1)).toBeLessThan(200);
  const reported = least(after)
    .slice(2, 8)
    .map(([, score = 0]) => score);
  expect(Math.min(...reported)).toBeGreaterThan(800);
  // Nobody reported the first half hour: it stays as it was shown.
  expect(least(after).slice(0, 2)).toEqual(least(before).slice(0, 2));
  const corrected = await summed(server);
  expect(corrected.map(({ hour, late }) => [(hour - start) / HOUR, late]).slice(0, 3)).toEqual([
    [0, 0],
    [1, 30],
    [2, 29],
  ]);
});

test("a range says how much of it is known, and the mean and the minimum are of the same minutes", async () => {
  const { id: accountId } = await newAccount();
  const start = hourAgo(3);
  const { id } = await newServer(accountId, { createdAt: new Date(start), lastSeenAt: new Date(start) });
  const sample = { cpuPct: 10, memUsedMb: 100, memTotalMb: 1000, diskUsedPct: 20, netLossPct: 0 };
  await recordCheckIn(id, { sample }, new Date(start));
  const now = start + 2 * HOUR;
  const [day, week] = [
    await getHistory(accountId, String(id), "24h", now),
    await getHistory(accountId, String(id), "7d", now),
  ];
  for (const { known, points } of [day, week]) {
    expect(known).toBe(2 * HOUR + MINUTE);
    const whole = points.reduce<Bands>((sum, { bands }) => merge(sum, bands), {}).score;
    // From full score down to what a silence leaves, of every minute.
    expect(whole).toMatchObject({ greatest: 1000, count: 121 });
    expect(whole?.least).toBeLessThan(100);
    expect(whole?.mean).toBeLessThan(250);
  }
});

test("hours that a version before summed up are summed up again while their samples are stored, and stay as they are when these are gone", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 48);
  await summed(server);
  const old = { score: [1, 2, 3, 12], cpuPct: [40, 41, 42, 12] };
  await db.telemetryHour.updateMany({ where: { serverId: server.id }, data: { bands: old, rule: null } });
  await db.$executeRaw`delete from telemetry_samples where server_id = ${server.id} and ts < ${new Date(hourAgo(30))}`;
  const hours = await summed(server);
  expect(hours.filter(({ hour }) => hour < hourAgo(30)).map(({ bands }) => serializeBands(bands))).toEqual(
    Array.from({ length: 18 }, () => old),
  );
  const again = hours.filter(({ hour }) => hour >= hourAgo(30));
  expect(again.length).toBeGreaterThan(25);
  expect(again.every(({ bands }) => bands.score?.count === 60)).toBe(true);
});

test("the trends of a list are the mean scores of the hours, made in the background for those who ask next", async () => {
  const server = await oldServer();
  await insertSamples(server.id, 40);
  const { id: stranger } = await newAccount();
  await expect
    .poll(async () => (await listTrends(server.accountId, [server.id])).get(server.id)?.length)
    .toBeGreaterThanOrEqual(24);
  const trend = (await listTrends(server.accountId, [server.id])).get(server.id) ?? [];
  const kept = await listHours(server.id, trend[0]?.hour ?? 0, Date.now());
  expect(trend).toEqual(kept.map(({ hour, bands }) => ({ hour, score: bands.score?.mean })));
  expect(await listTrends(stranger, [server.id])).toEqual(new Map());
});

test("the history of another account's server is as absent as that of none", async () => {
  const server = await oldServer();
  const { id: stranger } = await newAccount("admin");
  await expect(getHistory(stranger, String(server.id), "24h")).rejects.toThrow(NotFoundError);
  await expect(getHistory(stranger, "2147483647", "24h")).rejects.toThrow(NotFoundError);
});
