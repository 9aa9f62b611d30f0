import pg from "pg";
import { newAccount, newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import { forReader } from "@/lib/process/reader.mjs";
import { rateHealth } from "@/lib/servers/health-score";
import { parseStabilityRecord, summariseStability } from "@/lib/servers/stability";
import { type Bands, bandsOf, merge, parseBands, serializeBands } from "@/lib/servers/telemetry/bands";
import { recordCheckIn } from "@/lib/servers/telemetry/check-ins";
import { getHistory, listTrends } from "@/lib/servers/telemetry/history";
import { type RatedServer, rateSamples } from "@/lib/servers/telemetry/past-scores";
import { retireSamples } from "@/lib/servers/telemetry/retention";
import { listHours, recompute, rollUp, type SummedHour } from "@/lib/servers/telemetry/roll-ups";
import { findUnwellSince } from "@/lib/servers/telemetry/since";
import { DAY, HOUR, MINUTE } from "@/lib/time";

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
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct, net_loss_pct, uptime_s, oom_kills)
    select ${serverId}, ts, 40 + (n * 37) % 60, 500 + (n * 13) % 450, 1000, 50, 0.2, (n % 100) * 300, case when n % 97 = 0 then 1 end
    from generate_series(1, ${hours * 12}::int) n, lateral (select to_timestamp(${(end - hours * HOUR) / 1000}::float8) + (n - 1) * interval '5 minutes' as ts) t`;
}

test("the score kept for an hour is that of each check-in as it was rated then", async () => {
  const server = await oldServer();
  const start = hourAgo(30);
  server.countsFrom = new Date(start);
  const scores = new Map<number, number[]>();
  for (let n = 0; n < 40; n++) {
    const at = start + n * 37 * MINUTE;
    const sample = {
      cpuPct: (n * 29) % 101,
      load5: n % 12,
      memUsedMb: 600 + n * 9,
      memTotalMb: 1000,
      netLossPct: n % 3,
      uptimeS: (n % 7) * 2000,
      oomKills: n % 11 === 0 ? 1 : 0,
      failedUnits: n % 5 === 0 ? n % 2 : null,
    };
    await recordCheckIn(server.id, { sample }, new Date(at));
    const { stability } = await db.server.findUniqueOrThrow({
      where: { id: server.id },
      select: { stability: true },
    });
    const nothingElse = { cpuStealPct: null, cpuIowaitPct: null, swapUsedPct: null, diskUsedPct: null };
    const { score } = rateHealth(
      {
        lastSeenAt: at,
        cores: CORES,
        sample: { ...nothingElse, netRetransmitPct: null, ...sample, ts: at },
        stability: summariseStability(parseStabilityRecord(stability), server.countsFrom.getTime(), at),
      },
      at,
    );
    const hour = Math.floor(at / HOUR) * HOUR;
    scores.set(hour, [...(scores.get(hour) ?? []), score]);
  }
  const kept = await summed(server);
  expect(kept.length).toBeGreaterThan(20);
  for (const { hour, bands } of kept) {
    const rated = scores.get(hour) ?? [];
    const mean = rated.reduce((sum, score) => sum + score, 0) / rated.length;
    expect(bands.score).toMatchObject({
      least: Math.min(...rated),
      greatest: Math.max(...rated),
      count: rated.length,
      mean: expect.closeTo(mean, 2),
    });
  }
});

/** A sample in each minute of the last 60 hours, with a disk that is 99 % full in these times (epoch ms). */
async function insertDisk(serverId: number, now: number, full: readonly (readonly [from: number, to: number])[]) {
  const isFull = full.map(([from, to]) => `ts >= to_timestamp(${from / 1000}) and ts < to_timestamp(${to / 1000})`);
  await db.$executeRawUnsafe(`
    insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct, net_loss_pct)
    select ${serverId}, ts, 10, 100, 1000, case when ${isFull.join(" or ") || "false"} then 99 else 20 end, 0
    from generate_series(to_timestamp(${(now - 60 * HOUR) / 1000}), to_timestamp(${now / 1000}), interval '1 minute') ts`);
}

test("a server is not well since the end of the last ten minutes in which it was; five minutes do not count", async () => {
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const since = hourAgo(26) + 17 * MINUTE;
  const [server, always, well] = [await oldServer(), await oldServer(), await oldServer()];
  const pause = [since + 2 * HOUR, since + 2 * HOUR + 5 * MINUTE] as const;
  await insertDisk(server.id, now, [
    [since, pause[0]],
    [pause[1], now + HOUR],
  ]);
  await insertDisk(always.id, now, [[0, now + HOUR]]);
  await insertDisk(well.id, now, [[since, now - 15 * MINUTE]]);
  const found = (id: number, at: number) => expect.poll(() => findUnwellSince(id, at));
  await found(server.id, now).toEqual({ kind: "at", at: since });
  await found(always.id, now).toEqual({ kind: "always" });
  await found(well.id, now).toBeNull();
  // Within the last hour, whose samples are not summed up yet.
  await found(well.id, now - 16 * MINUTE).toEqual({ kind: "at", at: since });
  const recent = await oldServer();
  await insertDisk(recent.id, now, [[now - 20 * MINUTE, now + HOUR]]);
  await found(recent.id, now).toEqual({ kind: "at", at: now - 20 * MINUTE });
});

/**
 * So many samples up to the end of the hour that is over, as another writer would insert them: of any values, at uneven
 * times, some measurements missing.
 */
async function insertAnySamples(serverId: number, count: number, everySeconds: number): Promise<void> {
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5, mem_used_mb, mem_total_mb,
      swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s, oom_kills, failed_units)
    select ${serverId}, to_timestamp(${hourAgo(0) / 1000}::float8) - make_interval(secs => ${everySeconds}::float8 * (n - random() * 0.9)),
      case when random() < 0.9 then round((random() * 100)::numeric, 2) end, case when random() < 0.5 then random() * 25 end,
      case when random() < 0.5 then random() * 70 end, random() * 20,
      case when random() < 0.9 then round((random() * 1000)::numeric, 1) end,
      case when random() < 0.9 then 1000 * (random() > 0.05)::int end, case when random() < 0.5 then random() * 100 end,
      case when random() < 0.8 then random() * 100 end, case when random() < 0.5 then random() * 10 end,
      case when random() < 0.5 then random() * 20 end, case when random() < 0.9 then random() * 100000 end,
      case when random() < 0.01 then 2 when random() < 0.5 then 0 end, case when random() < 0.1 then (random() * 3)::int end
    from generate_series(1, ${count}::int) n`;
}

/** The hours of these samples, each rated by itself, taken together in this process. */
async function summedOneByOne(server: RatedServer, from: number): Promise<SummedHour[]> {
  const hours = new Map<number, Bands>();
  for await (const { ts, values } of rateSamples(server, from, hourAgo(0))) {
    const hour = Math.floor(ts / HOUR) * HOUR;
    hours.set(hour, merge(hours.get(hour) ?? {}, bandsOf(values)));
  }
  return [...hours].map(([hour, bands]) => ({ hour, bands: parseBands(serializeBands(bands)) }));
}

test("the sums that PostgreSQL makes are number by number those of the samples rated one by one, whatever was measured", async () => {
  // Added in the middle of its samples, so that both ways of counting the minutes before are there.
  const server = { ...(await oldServer()), createdAt: new Date(hourAgo(20) + 17 * MINUTE) };
  for (const cores of [CORES, null]) {
    await db.telemetrySample.deleteMany({ where: { serverId: server.id } });
    await db.telemetryHour.deleteMany({ where: { serverId: server.id } });
    await insertAnySamples(server.id, 3000, 37);
    const from = hourAgo(26);
    await expect.poll(() => rollUp({ ...server, cores }, from, hourAgo(0))).toBe(true);
    const kept = await listHours(server.id, from, hourAgo(0));
    expect(kept.length).toBeGreaterThan(20);
    const settled = kept.map(({ hour }) => hour);
    const rated = (await summedOneByOne({ ...server, cores }, from)).filter(({ hour }) => settled.includes(hour));
    const means = (hours: SummedHour[]) => hours.flatMap(({ bands }) => Object.values(bands).map(({ mean }) => mean));
    const others = (hours: SummedHour[]) => JSON.stringify(hours, (name, value) => (name === "mean" ? "" : value));
    expect(others(kept)).toBe(others(rated));
    // Rounded to three decimals, a mean in the middle may go either way.
    const expected = means(rated);
    expect(means(kept).filter((mean, index) => Math.abs(mean - (expected[index] ?? 0)) > 0.0011)).toEqual([]);
  }
});

test("a flooded server is summed up in statements of a bounded number of samples, and a reader who leaves ends that after the first", async () => {
  const server = await oldServer();
  await insertAnySamples(server.id, 45_000, 0.5);
  const from = hourAgo(7);
  const gone = AbortSignal.abort();
  expect(await forReader(gone, () => rollUp(server, from, hourAgo(0)))).toBe(false);
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
  const end = hourAgo(33 * 24);
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
  await insertSamples(server.id, 3, end);
  await whileWriting(server.id, end - 90 * MINUTE + 1, () => retire());
  // A sample written during the sweep stays until the next sweep.
  await retireUntil(server.id, 0);
  const kept = await listHours(server.id, end - 3 * HOUR, end);
  expect(kept.map(({ bands }) => bands.cpuPct?.count)).toEqual([12, 13, 12]);
  expect(kept[1]?.bands.cpuPct?.greatest).toBe(100);
});

test("a sample that is written after its hour was summed up, but before the deletion, is summed up by the next sweep", async () => {
  const server = await oldServer();
  const end = endOfRetired();
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
  expect(points.filter(({ at }) => Math.abs(at - gap) < 4 * MINUTE)).toEqual([]);
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
