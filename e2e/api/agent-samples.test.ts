import { expect, test } from "vitest";
import { GROWTH, grown, MEASURED, nodeExporterSeries } from "@/e2e/support/agent-bodies";
import { AGENTS, packed } from "@/e2e/support/agent-protocols";
import { now, OTLP, PROMETHEUS, samplesOf, send, writeSeries } from "@/e2e/support/agent-requests";
import { getData } from "@/e2e/support/ask";
import { newAccount, newOwnedReporter, newReportingServer } from "@/e2e/support/factories";
import type { Series } from "@/e2e/support/write-request";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import {
  MEASUREMENTS,
  type Measurement,
  type StoredSample,
  storedSampleOf,
} from "@/lib/servers/telemetry/measurements";

// What stock agents send becomes check-ins, samples and facts. Real agents are in e2e/operations.

/** The newest sample in full. */
async function newestOf(id: number) {
  const { sample, sampledAt } = await db.server.findUniqueOrThrow({ where: { id } });
  return sample && storedSampleOf(sample as StoredSample, sampledAt?.getTime() ?? 0);
}

for (const [name, { path, body, measured }] of Object.entries(AGENTS)) {
  test(`what ${name} sends twice is a check-in with its counters differenced, once`, async () => {
    const { token, id, key } = await newOwnedReporter();
    const ts = now() - 30 * SECOND;
    expect((await send(path, key, body(ts, 0))).status).toBeLessThan(300);
    // The server is seen before anything could be differenced.
    expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ online: true });
    expect(await samplesOf(id)).toEqual([]);
    for (let repetition = 0; repetition < 2; repetition++) {
      expect((await send(path, key, body(ts + 15 * SECOND, 1))).status).toBeLessThan(300);
      const samples = await samplesOf(id);
      expect(samples.map((sample) => sample.at.getTime())).toEqual([ts, ts + 10 * SECOND]);
      expect(samples[0]).toMatchObject({ cpuPct: name === "Telegraf" ? 31.25 : null, memUsedPct: 37.5 });
      expect(await newestOf(id)).toMatchObject({ ts: ts + 15 * SECOND, ...measured, failedUnits: null });
    }
    expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
      online: true,
      latest_sample: { ts: ts + 15 * SECOND, cpu_pct: 31.25, mem_used_mb: 3072 },
    });
    const { latest_sample } = await getData<{ latest_sample: object }>(`/api/v1/servers/${id}`, token);
    // What the agent cannot measure is not reported, as ever.
    for (const [measurement, value] of Object.entries(measured)) {
      const { name: field } = MEASUREMENTS[measurement as Measurement];
      expect(field in latest_sample, field).toBe(value !== null);
    }
  });

  test(`${name} cannot report a second machine with one key until ten minutes of silence`, async () => {
    const { id, key } = await newReportingServer();
    const ts = now() - MINUTE;
    const [first, second] = ["web-1:9100", "web-2:9100"];
    await send(path, key, body(ts, 0, first));
    await send(path, key, body(ts + 10 * SECOND, 1, first));
    const refused = await send(path, key, body(ts + 20 * SECOND, 9, second));
    expect(refused).toMatchObject({
      status: 400,
      json: {
        error: `This key already reports for "${first}". Give "${second}" a server and a key of its own.`,
      },
    });
    expect(await samplesOf(id)).toHaveLength(2);
    await db.agentState.updateMany({
      where: { key: { serverId: id } },
      data: { heardAt: new Date(Date.now() - 11 * MINUTE) },
    });
    expect((await send(path, key, body(ts + 30 * SECOND, 9, second))).status).toBeLessThan(300);
    await send(path, key, body(ts + 40 * SECOND, 10, second));
    const samples = await samplesOf(id);
    // Nothing is differenced between the two machines.
    expect(samples.slice(2).map(({ memUsedPct }) => memUsedPct)).toEqual([37.5, 37.5]);
    expect(samples[2]?.netRetransmitPct).toBeNull();
  });

  test(`old readings of ${name} are accepted and dropped, and future ones are refused`, async () => {
    const { id, key } = await newReportingServer();
    const old = await send(path, key, body(now() - 3 * HOUR, 0));
    expect([old.status, old.text]).toEqual(path === OTLP ? [200, "{}"] : [204, ""]);
    expect(await db.agentState.count({ where: { key: { serverId: id } } })).toBe(0);
    const ahead = await send(path, key, body(Date.now() + HOUR, 0));
    const sentence = /Values are (59|60) minutes ahead of the console's clock.* Check this machine's clock\./;
    expect(ahead.text).toMatch(sentence);
    if (path === OTLP) {
      expect(ahead).toMatchObject({
        status: 200,
        json: { partialSuccess: { rejectedDataPoints: expect.stringMatching(/^\d+$/) } },
      });
    } else {
      expect(ahead.status).toBe(400);
    }
    expect(await samplesOf(id)).toEqual([]);
  });
}

test("concurrent requests for one instant make one sample with all its readings", async () => {
  const { id, key } = await newReportingServer();
  const ts = now() - MINUTE;
  for (let round = 0; round < 4; round++) {
    const series = nodeExporterSeries(ts + round * 15 * SECOND, grown(round));
    const parts = [0, 1, 2, 3, 4].map((part) => series.filter((_, index) => index % 5 === part));
    const answers = await Promise.all([...parts, parts[0] ?? []].map((part) => writeSeries(key, part)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  }
  const samples = await samplesOf(id);
  expect(samples).toHaveLength(4);
  const { cpuPct, netRetransmitPct } = MEASURED;
  for (const one of samples.slice(1)) expect(one).toMatchObject({ cpuPct, netRetransmitPct, memUsedPct: 37.5 });
  expect(await newestOf(id)).toMatchObject(MEASURED);
});

test("each scrape of a delayed hour becomes a sample, and a restart counts once", async () => {
  const { id, key } = await newOwnedReporter({ createdAt: new Date(Date.now() - 2 * HOUR) });
  const start = now() - HOUR;
  const scrapes = Array.from({ length: 120 }, (_, n) => {
    const isAfter = n >= 60;
    const series = nodeExporterSeries(start + n * 30 * SECOND, grown(isAfter ? n - 60 : n));
    const boot = (start + (isAfter ? 60 * 30 - 20 : -5000) * SECOND) / SECOND;
    return series.map((one): Series => {
      const isBoot = one.labels.__name__ === "node_boot_time_seconds";
      return isBoot ? { ...one, samples: [[start + n * 30 * SECOND, boot]] } : one;
    });
  });
  for (let from = 0; from < 120; from += 40) {
    expect((await writeSeries(key, scrapes.slice(from, from + 40).flat())).status).toBe(204);
  }
  const samples = await samplesOf(id);
  expect(samples).toHaveLength(120);
  for (const [n, sample] of samples.entries()) {
    expect(sample.memUsedPct).toBe(37.5);
    // The first has nothing before it, nor has the one after the restart.
    const { cpuPct, netRetransmitPct } = n === 0 || n === 60 ? { cpuPct: null, netRetransmitPct: null } : MEASURED;
    expect(sample).toMatchObject({ cpuPct, netRetransmitPct });
  }
  const hours = await db.telemetryHour.findMany({ where: { serverId: id } });
  const sum = (name: "reboots" | "oomKills") => hours.reduce((all, hour) => all + hour[name], 0);
  expect([sum("reboots"), sum("oomKills")]).toEqual([1, 118 * (MEASURED.oomKills ?? 0)]);
});

test("Prometheus metadata becomes server facts, and its ip counts only for a local scrape", async () => {
  const { id: accountId, token } = await newAccount();
  const detailOf = async (instance: string) => {
    const { id, key } = await newReportingServer(accountId);
    for (const round of [0, 1]) {
      const body = packed(nodeExporterSeries(now() - (30 - 15 * round) * SECOND, grown(round), instance));
      await send(PROMETHEUS, key, body, { "X-Forwarded-For": "9.9.9.9" });
    }
    return getData(`/api/v1/servers/${id}`, token);
  };
  const facts = {
    os: "Debian GNU/Linux 13 (trixie)",
    kernel: "6.12.48",
    cores: 2,
    arch: "x86_64",
    memory_mb: 8192,
  };
  expect(await detailOf("localhost:9100")).toMatchObject({ facts, public_ip: "9.9.9.9" });
  expect(await detailOf("10.0.0.7:9100")).toMatchObject({ facts, public_ip: null });
});

test("an invalid description is left out of the facts, and its scrape is stored", async () => {
  const { id, key } = await newReportingServer();
  const factsAfter = async (round: number, labels: Record<string, string>) => {
    const series = nodeExporterSeries(now() - (75 - 15 * round) * SECOND, grown(round)).map((one) =>
      one.labels.__name__ === "node_uname_info" ? { ...one, labels: { ...one.labels, ...labels } } : one,
    );
    expect((await writeSeries(key, series)).status).toBe(204);
    return (await db.server.findUniqueOrThrow({ where: { id } })).facts;
  };
  await factsAfter(0, {});
  for (const [round, release] of ["6.\0", "6.\u202e1", "6".repeat(257)].entries()) {
    expect(await factsAfter(round + 1, { release })).toEqual({});
  }
  const facts = await factsAfter(4, { release: "6".repeat(256), machine: "x86\0" });
  expect(facts).toMatchObject({ kernel: "6".repeat(256) });
  expect(facts).not.toHaveProperty("arch");
  expect(await samplesOf(id)).toHaveLength(5);
});

test("a stale marker ends its series, and values out of range are not reported", async () => {
  const { id, key } = await newReportingServer();
  const ts = now() - MINUTE;
  const scrape = (round: number, changes: Record<string, number | "stale">) =>
    nodeExporterSeries(ts + round * 15 * SECOND, grown(round)).map((one): Series => {
      const value = changes[one.labels.__name__ ?? ""];
      return value === undefined ? one : { ...one, samples: [[ts + round * 15 * SECOND, value]] };
    });
  await writeSeries(key, scrape(0, {}));
  const { POSITIVE_INFINITY: endless, NaN: nothing } = Number;
  const changes = { node_load5: "stale", node_vmstat_oom_kill: nothing, node_memory_SwapTotal_bytes: endless } as const;
  await writeSeries(key, scrape(1, changes));
  // Without the marker it would wait for the load, and does for the others.
  await writeSeries(
    key,
    scrape(2, { node_load5: "stale", node_memory_MemTotal_bytes: -5e9, node_boot_time_seconds: 1e300 }),
  );
  await writeSeries(key, scrape(3, { node_load5: "stale" }));
  const samples = await samplesOf(id);
  expect(samples).toHaveLength(4);
  expect(samples[1]).toMatchObject({ swapUsedPct: null, cpuPct: 31.25 });
  expect(samples[2]).toMatchObject({ memUsedPct: null, cpuPct: 31.25 });
  expect(await newestOf(id)).toMatchObject({ load5: null, memTotalMb: 8192, cpuPct: 31.25 });
});

test("counters without growth give no percentage, and a small step back is not negative", async () => {
  const { id, key } = await newReportingServer();
  const ts = now() - MINUTE;
  const { busy, idle, ...rest } = grown(0);
  await writeSeries(key, nodeExporterSeries(ts, { busy, idle, ...rest }));
  await writeSeries(key, nodeExporterSeries(ts + 15 * SECOND, { busy, idle, ...rest }));
  await writeSeries(key, nodeExporterSeries(ts + 30 * SECOND, { busy: busy + GROWTH.busy, idle: idle - 0.5, ...rest }));
  const samples = await samplesOf(id);
  expect(samples[1]).toMatchObject({ cpuPct: null, netRetransmitPct: null });
  expect((await db.telemetryHour.findFirst({ where: { serverId: id } }))?.oomKills).toBe(0);
  expect(samples[2]).toMatchObject({ cpuPct: 100, cpuStealPct: 0, cpuIowaitPct: 0 });
});
