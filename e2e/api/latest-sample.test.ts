import { expect, test } from "vitest";
import { getData } from "@/e2e/support/ask";
import { newAccount, newServer } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { dropDay, makeDay } from "@/lib/database/partitions";
import { DAY, MINUTE } from "@/lib/format/time";
import { getRatedServer } from "@/lib/servers/telemetry/past-scores";
import { recompute } from "@/lib/servers/telemetry/roll-ups";

type Sample = { ts: number; cpu_pct?: number; mem_used_mb?: number } | null;

/** A server with what the API says is its latest sample. */
async function watchedServer() {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId, { createdAt: new Date(Date.now() - 60 * DAY) });
  const latest = async () => (await getData<{ latest_sample: Sample }>(`/api/v1/servers/${id}`, token)).latest_sample;
  const insert = (...samples: [ts: number, cpuPct: number][]) =>
    db.telemetrySample.createMany({
      data: samples.map(([ts, cpuPct]) => ({ serverId: id, ts: new Date(ts), cpuPct })),
    });
  return { id, accountId, latest, insert };
}

test("the latest sample is that of the newest time, whoever writes samples and in whatever order", async () => {
  const { id, latest, insert } = await watchedServer();
  const now = Date.now();
  expect(await latest()).toBeNull();
  await insert([now - 3 * MINUTE, 30], [now - 2 * MINUTE, 20], [now - 4 * MINUTE, 40]);
  expect(await latest()).toEqual({ ts: now - 2 * MINUTE, cpu_pct: 20 });
  await insert([now - 5 * DAY, 50]);
  await recordCheckIn(id, { sample: { cpuPct: 5 } }, new Date(now - 6 * MINUTE));
  expect(await latest()).toEqual({ ts: now - 2 * MINUTE, cpu_pct: 20 });
  await recordCheckIn(id, { sample: { memUsedMb: 512 } }, new Date(now - MINUTE));
  expect(await latest()).toEqual({ ts: now - MINUTE, mem_used_mb: 512 });
  // Another program may write samples of several servers in one statement.
  const other = await watchedServer();
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    select id, to_timestamp(${now / 1000}::float8) - n * interval '1 s', n
    from unnest(array[${id}, ${other.id}]::int[]) id, generate_series(0, 50) n`;
  expect(await latest()).toEqual({ ts: now, cpu_pct: 0 });
  expect(await other.latest()).toEqual({ ts: now, cpu_pct: 0 });
});

test("a latest sample that is changed or moved by another writer is followed", async () => {
  const { id, latest, insert } = await watchedServer();
  const now = Date.now();
  await insert([now - 2 * MINUTE, 20], [now - MINUTE, 10]);
  const newest = { serverId_ts: { serverId: id, ts: new Date(now - MINUTE) } };
  await db.telemetrySample.update({ where: newest, data: { cpuPct: 11 } });
  expect(await latest()).toEqual({ ts: now - MINUTE, cpu_pct: 11 });
  await db.telemetrySample.update({ where: newest, data: { ts: new Date(now - 3 * DAY) } });
  expect(await latest()).toEqual({ ts: now - 2 * MINUTE, cpu_pct: 20 });
});

test("a latest sample outlives its partition and its deletion, until an operator has the server computed again", async () => {
  const { id, accountId, latest, insert } = await watchedServer();
  // A day that no other test writes into.
  const day = Math.floor(Date.now() / DAY) * DAY - 45 * DAY;
  expect(await makeDay("telemetry_samples", day)).toBe("made");
  await insert([day + MINUTE, 45]);
  expect(await dropDay("telemetry_samples", day)).toBe(true);
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(0);
  expect(await latest()).toEqual({ ts: day + MINUTE, cpu_pct: 45 });

  await insert([Date.now() - 3 * DAY, 3], [Date.now() - 2 * DAY, 99]);
  await db.telemetrySample.deleteMany({ where: { serverId: id, cpuPct: 99 } });
  expect(await latest()).toMatchObject({ cpu_pct: 99 });
  await recompute(await getRatedServer(accountId, id));
  expect(await latest()).toMatchObject({ cpu_pct: 3 });
});

test("check-ins of many servers and writers of the same servers by SQL end, and the newest sample is the latest", async () => {
  const servers = await Promise.all(Array.from({ length: 5 }, watchedServer));
  const ids = servers.map(({ id }) => id);
  const now = Date.now();
  const writers = Array.from({ length: 20 }, (_, n) => {
    // Outside the ten seconds of the check-ins, which would otherwise not be stored.
    const [order, at] = [n % 2 === 0 ? ids : ids.toReversed(), (now - (n + 20) * 1000) / 1000];
    return db.$executeRaw`
      insert into telemetry_samples (server_id, ts, cpu_pct)
      select id, to_timestamp(${at}::float8), ${n} from unnest(${order}::int[]) id`;
  });
  const checkIns = servers.map(({ id }) => recordCheckIn(id, { sample: { cpuPct: 50 } }, new Date(now)));
  await Promise.all([...writers, ...checkIns]);
  for (const { latest } of servers) expect(await latest()).toEqual({ ts: now, cpu_pct: 50 });
});
