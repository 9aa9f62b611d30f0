import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { POST as writeInThisProcess } from "@/app/ingest/prometheus/write/route";
import {
  GROWTH,
  grown,
  hostMetrics,
  MEASURED,
  nodeExporterSeries,
  snappy,
  telegrafLines,
} from "@/e2e/support/agent-bodies";
import {
  AGENT_PATHS,
  AGENTS,
  type Body,
  CHECK_INS,
  EMPTY,
  packed,
  plain,
  REPORTERS,
  typeOf,
} from "@/e2e/support/agent-protocols";
import { answer, ask, getData } from "@/e2e/support/ask";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { exportRequest } from "@/e2e/support/otlp-request";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { type Series, writeRequest } from "@/e2e/support/write-request";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { removeServer } from "@/lib/servers/management";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { MAX_READINGS } from "@/lib/servers/telemetry/agents/instants";
import {
  MEASUREMENTS,
  type Measurement,
  type StoredSample,
  storedSampleOf,
} from "@/lib/servers/telemetry/measurements";
import { mintToken } from "@/lib/tokens/format";

// The endpoints of stock agents, with bodies as those write them, and bent ones. Real agents are in e2e/operations.

const { prometheus: PROMETHEUS, influx: INFLUX, otlp: OTLP } = AGENT_PATHS;

type Sent = { status: number; text: string; json: unknown; headers: Headers };

async function send(path: string, key: string | null, body: Body, headers: Record<string, string> = {}): Promise<Sent> {
  const response = await answer(path, {
    method: "POST",
    headers: {
      ...typeOf(path),
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
  });
  const text = await response.text();
  expect([response.headers.get("cache-control"), response.headers.has("x-request-id")]).toEqual(["no-store", true]);
  return { status: response.status, text, json: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

const writeSeries = (key: string, series: Series[]) => send(PROMETHEUS, key, packed(series));
const paths = Object.values(AGENT_PATHS);
const agentAt = (path: string) => Object.values(AGENTS).find((agent) => agent.path === path);

const samplesOf = (serverId: number) => db.telemetrySample.findMany({ where: { serverId }, orderBy: { at: "asc" } });
/** The newest sample in full. */
async function newestOf(id: number) {
  const { sample, sampledAt } = await db.server.findUniqueOrThrow({ where: { id } });
  return sample && storedSampleOf(sample as StoredSample, sampledAt?.getTime() ?? 0);
}

/** A whole multiple of ten seconds, so that fifteen seconds later is another span. */
const now = () => Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND;

for (const [name, { path, body, measured }] of Object.entries(AGENTS)) {
  test(`what ${name} sends twice is a check-in with its counters differenced, once`, async () => {
    const { id: accountId, token } = await newAccount();
    const { id, key } = await newReportingServer(accountId);
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

  test(`a second machine that ${name} tells of with the same key is 400 in a sentence; after ten silent minutes it may take the place`, async () => {
    const { id: accountId } = await newAccount();
    const { id, key } = await newReportingServer(accountId);
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

  test(`readings of ${name} that are too old are taken and dropped; from the future they are refused, and the rest is stored`, async () => {
    const { id: accountId } = await newAccount();
    const { id, key } = await newReportingServer(accountId);
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

test("an instant in many requests, through two processes at once and some twice, is one sample of all of it", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const ts = now() - MINUTE;
  const inThisProcess = async (series: Series[]) =>
    writeInThisProcess(
      new Request("http://console/", {
        method: "POST",
        headers: { ...typeOf(PROMETHEUS), Authorization: `Bearer ${key}` },
        body: packed(series),
      }),
      { params: Promise.resolve({}) },
    );
  for (let round = 0; round < 4; round++) {
    const series = nodeExporterSeries(ts + round * 15 * SECOND, grown(round));
    const parts = [0, 1, 2, 3, 4].map((part) => series.filter((_, index) => index % 5 === part));
    const answers = await Promise.all([
      ...parts.map((part, index) => (index % 2 === 0 ? writeSeries(key, part) : inThisProcess(part))),
      inThisProcess(parts[0] ?? []),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  }
  const samples = await samplesOf(id);
  expect(samples).toHaveLength(4);
  const { cpuPct, netRetransmitPct } = MEASURED;
  for (const one of samples.slice(1)) expect(one).toMatchObject({ cpuPct, netRetransmitPct, memUsedPct: 37.5 });
  expect(await newestOf(id)).toMatchObject(MEASURED);
});

test("an hour of scrapes in few requests is a sample for each; a restart in it counts once, and no counter goes back", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId, { createdAt: new Date(Date.now() - 2 * HOUR) });
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
  // After the restart what was killed since then counts.
  expect([sum("reboots"), sum("oomKills")]).toEqual([1, 118 * (MEASURED.oomKills ?? 0) + 2]);
});

test("Prometheus' descriptions become the facts, and its ip is the machine's only where it scrapes its own", async () => {
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

test("a description that no daemon could report is no fact, and its scrape is a sample all the same", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
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

test("a stale marker ends its series; other values that are no numbers, and values out of range, are not reported", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
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

test("series that tell nothing are taken and make no check-in, whatever instances they have", async () => {
  const { id: accountId, token } = await newAccount();
  const { id, key } = await newReportingServer(accountId, {
    createdAt: new Date(Date.now() - HOUR),
    lastSeenAt: new Date(Date.now() - HOUR),
  });
  const others = ["a", "b", "constructor"].map((instance) => ({
    labels: { __name__: instance === "a" ? "constructor" : "http_requests_total", instance },
    samples: [[Date.now(), 1]] as const,
  }));
  expect((await writeSeries(key, others)).status).toBe(204);
  for (const [path, body] of [
    [INFLUX, "constructor,host=a constructor=1\nhttp,host=b requests=5i\ncpu,__proto__=x,host=c toString=1\n"],
    [OTLP, "{}"],
    [OTLP, '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"toString","gauge":{"dataPoints":[{}]}}]}]}]}'],
  ] as const) {
    expect((await send(path, key, body)).status, body).toBeLessThan(300);
  }
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ online: false });
});

test("one body that tells of two machines is 400 in a sentence, and nothing of it is stored", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const ts = now() - MINUTE;
  const sentence = 'A key is for one machine, and this tells of "a" and "b". Give each a server and a key of its own.';
  const metrics = [hostMetrics(ts, grown(0), "a"), hostMetrics(ts, grown(0), "b")] as { resourceMetrics: object[] }[];
  for (const [path, body] of [
    [PROMETHEUS, packed([...nodeExporterSeries(ts, grown(0), "a"), ...nodeExporterSeries(ts, grown(0), "b")])],
    [INFLUX, telegrafLines(ts, grown(0), "a") + telegrafLines(ts, grown(0), "b")],
    [OTLP, JSON.stringify({ resourceMetrics: metrics.flatMap(({ resourceMetrics }) => resourceMetrics) })],
  ] as const) {
    expect(await send(path, key, body), path).toMatchObject({ status: 400, json: { error: sentence } });
  }
  expect(await db.agentState.count({ where: { key: { serverId: id } } })).toBe(0);
});

test("a bad line, point or list is told by its number, and the rest is stored", async () => {
  const { id: accountId } = await newAccount();
  const good = (round: number) => now() - (30 - 15 * round) * SECOND;
  for (const [path, bent, status, told] of [
    [
      INFLUX,
      (ms: number, times: number) =>
        `cpu,host=web-1 usage_idle=abc ${ms}000000\n# a comment\n\n${telegrafLines(ms, grown(times))}mem,host=web-1 total=`,
      400,
      /line 1: the value of .+?usage_idle.+? is not a number, text or boolean\. line 19: the value of .+?total.+? is not/,
    ],
    [
      OTLP,
      (ms: number, times: number) => {
        const { resourceMetrics } = hostMetrics(ms, grown(times)) as { resourceMetrics: object[] };
        const bad = {
          name: "system.uptime",
          gauge: { dataPoints: [{ asDouble: 1 }, { timeUnixNano: `${ms}000000` }] },
        };
        const scopeMetrics = [{ metrics: [bad] }];
        const resource = { attributes: [{ key: "host.name", value: { stringValue: "web-1" } }] };
        return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics }, ...resourceMetrics] });
      },
      200,
      /"rejectedDataPoints":"2".*a data point has no timeUnixNano.*neither asDouble nor asInt/,
    ],
  ] as [string, (ms: number, times: number) => string, number, RegExp][]) {
    const { id, key } = await newReportingServer(accountId);
    for (const round of [0, 1]) {
      const answer = await send(path, key, bent(good(round), round));
      expect([answer.status, answer.text], path).toEqual([status, expect.stringMatching(told)]);
    }
    const samples = await samplesOf(id);
    expect(samples, path).toHaveLength(2);
    expect(samples[1], path).toMatchObject({ cpuPct: 31.25, memUsedPct: 37.5 });
  }
});

test("a body that is bent in any way is 4xx in a sentence and leaves nothing, whichever endpoint it comes to", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const whole = writeRequest(nodeExporterSeries(now(), grown(0)));
  const cut = (bytes: Uint8Array) => plain(bytes.subarray(0, bytes.length - 3));
  const json = JSON.stringify(hostMetrics(now(), grown(0)));
  for (const [path, body, message, headers] of [
    [PROMETHEUS, "", /not one whole block of Snappy/],
    [PROMETHEUS, plain(whole), /not one whole block of Snappy/],
    [PROMETHEUS, cut(snappy(whole)), /not one whole block of Snappy/],
    [PROMETHEUS, plain(snappy(cut(whole))), /not a whole WriteRequest/],
    [PROMETHEUS, plain(snappy(Buffer.from("{}"))), /not a whole WriteRequest/],
    [PROMETHEUS, plain(snappy(Buffer.alloc(50, 0xff))), /not a whole WriteRequest/],
    [
      PROMETHEUS,
      packed([{ labels: { __name__: "node_load5", instance: "a\nb" }, samples: [[Date.now(), 1]] }]),
      /cannot be shown/,
    ],
    [
      PROMETHEUS,
      packed([{ labels: { __name__: "node_load5", instance: "x".repeat(300) }, samples: [[Date.now(), 1]] }]),
      /longer than 256/,
    ],
    [INFLUX, "\xff\xfe", /line 1: /],
    [INFLUX, new Uint8Array([0xff, 0xfe]), /not UTF-8/],
    [INFLUX, "cpu", /line 1: has no field\./],
    [INFLUX, ",host=a x=1", /line 1: has no measurement\./],
    [INFLUX, "cpu,host x=1", /line 1: has a tag without a value\./],
    [INFLUX, "cpu,host=a x", /line 1: has no field\./],
    [INFLUX, "cpu,host=a x=1 yesterday", /line 1: has a time that is not a whole number\./],
    [INFLUX, "cpu,host=a x=1 5 5", /line 1: goes on behind its time\./],
    [INFLUX, 'cpu,host=a x="open', /line 1: has a text without an end\./],
    [INFLUX, "cpu,host=a x=1i5\ncpu,host=a x=\n".repeat(100), /line 10: /],
    [INFLUX, cut(gzipSync(telegrafLines(now(), grown(0)))), /not whole gzip/, { "Content-Encoding": "gzip" }],
    [INFLUX, "plain", /not whole gzip/, { "Content-Encoding": "gzip" }],
    [OTLP, "", /not JSON/],
    [OTLP, json.slice(0, -5), /not JSON/],
    [OTLP, "[]", /not an ExportMetricsServiceRequest/],
    [OTLP, "null", /not an ExportMetricsServiceRequest/],
    [OTLP, '{"resourceMetrics":5}', /not an ExportMetricsServiceRequest/],
    [OTLP, "[".repeat(100_000), /nested deeper than 32 levels/],
  ] as [string, Body, RegExp, Record<string, string>?][]) {
    const answer = await send(path, key, body, headers);
    const what = `${path} ${String(body).slice(0, 60)}`;
    expect(answer.status, what).toBe(400);
    expect((answer.json as { error: string }).error, what).toMatch(message);
  }
  expect(await samplesOf(id)).toEqual([]);
  expect(await db.agentState.count({ where: { key: { serverId: id } } })).toBe(0);
});

test("data points that OTLP lets be strange are rejected one by one and never a failure", async () => {
  const { id: accountId } = await newAccount();
  const { key } = await newReportingServer(accountId);
  const metric = (kind: object) => ({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "system.uptime", ...kind }] }] }],
  });
  const time = `${Date.now()}000000`;
  for (const [kind, rejected] of [
    // A sender that says that there is no value makes no mistake.
    [{ gauge: { dataPoints: [{ timeUnixNano: time, asDouble: "NaN" }] } }, undefined],
    [{ gauge: { dataPoints: [{ timeUnixNano: time, asDouble: "Infinity" }] } }, undefined],
    [{ gauge: { dataPoints: [{ timeUnixNano: time, flags: 1 }] } }, undefined],
    [{ gauge: { dataPoints: [{ timeUnixNano: "soon", asInt: "5" }] } }, "1"],
    [{ sum: { aggregationTemporality: 1, dataPoints: [{ timeUnixNano: time, asInt: "5" }] } }, "1"],
    [{ gauge: { dataPoints: [null, 5, {}] } }, "1"],
    [{ gauge: { dataPoints: {} } }, undefined],
    [{ histogram: { dataPoints: [{}] } }, undefined],
  ] as [object, string | undefined][]) {
    const answer = await send(OTLP, key, JSON.stringify(metric(kind)));
    expect(answer.status, JSON.stringify(kind)).toBe(200);
    const { partialSuccess } = answer.json as { partialSuccess?: { rejectedDataPoints: string } };
    expect(partialSuccess?.rejectedDataPoints, JSON.stringify(kind)).toBe(rejected);
  }
});

test("what a body unpacks to is bounded before it is unpacked, and a liar is stopped at the bound", async () => {
  const { id: accountId } = await newAccount();
  const { key } = await newReportingServer(accountId);
  const [big, packedTooLarge] = [Buffer.alloc(3 * 1024 * 1024, " "), plain(Buffer.alloc(256 * 1024 + 1))];
  const bomb = gzipSync(big);
  const liar = Buffer.from(bomb);
  liar.writeUInt32LE(5, liar.length - 4);
  // One part for each of two streams: the size at the end is only the last one's.
  const doubled = Buffer.concat([bomb, gzipSync("x")]);
  const cases: [string, Body, Record<string, string>?][] = [
    [PROMETHEUS, new Uint8Array([0x81, 0x80, 0x40, 0, 65])],
    [PROMETHEUS, packedTooLarge],
    [INFLUX, plain(bomb), { "Content-Encoding": "gzip" }],
    [INFLUX, plain(liar), { "Content-Encoding": "gzip" }],
    [INFLUX, plain(doubled), { "Content-Encoding": "gzip" }],
    [INFLUX, packedTooLarge, { "Content-Encoding": "gzip" }],
    [INFLUX, plain(big)],
    [OTLP, plain(bomb), { "Content-Encoding": "gzip" }],
    [OTLP, plain(big)],
    [INFLUX, "system,host=a load5=1\n".repeat(10_001)],
  ];
  expect(new Set(cases.map(([path]) => path))).toEqual(new Set(paths));
  for (const [path, body, headers] of cases) {
    const answer = await send(path, key, body, headers);
    expect(answer.status, `${path} ${answer.text}`).toBe(413);
    expect((answer.json as { error: string }).error).toMatch(
      /^The body (is larger than|has more than) .*\. .*(smaller)/,
    );
  }
});

test("another encoding or type is 415 in a sentence: remote write 2.0, OTLP in an unknown packing", async () => {
  const { id: accountId } = await newAccount();
  const { key } = await newReportingServer(accountId);
  const v2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
  const v1 = "application/x-protobuf;proto=prometheus.WriteRequest";
  for (const [path, headers, message] of [
    [PROMETHEUS, { "Content-Type": v2 }, /Version 2\.0 is not taken/],
    [PROMETHEUS, { "Content-Encoding": "gzip" }, /Content-Encoding: snappy/],
    [PROMETHEUS, { "Content-Type": "application/json" }, /application\/x-protobuf/],
    [INFLUX, { "Content-Encoding": "br" }, /line protocol/],
    [OTLP, { "Content-Type": "text/plain" }, /application\/x-protobuf or application\/json/],
    [OTLP, { "Content-Encoding": "zstd" }, /Content-Encoding: zstd is not taken/],
  ] as [string, Record<string, string>, RegExp][]) {
    const answer = await send(path, key, agentAt(path)?.body(now(), 0) ?? "", headers);
    expect([answer.status, answer.text], path).toEqual([415, expect.stringMatching(message)]);
  }
  expect((await send(PROMETHEUS, key, packed([]), { "Content-Type": v1 })).status).toBe(204);
  const lines = telegrafLines(now(), grown(0));
  const asGzip = await send(INFLUX, key, plain(gzipSync(lines)), { "Content-Encoding": "gzip" });
  expect(asGzip.status).toBe(204);
  expect((await send("/ingest/influx/write?db=telegraf&precision=ns", key, lines)).status).toBe(204);
  expect(await send(`${INFLUX}?precision=h`, key, lines)).toMatchObject({ status: 400 });
});

test("the key is taken as Bearer, as Token and as the password of Basic; any that does not work is one and the same 401", async () => {
  const [owner, disabled] = [await newAccount(), await newAccount()];
  const [working, replaced, removed, ofDisabled] = [
    await newReportingServer(owner.id),
    await newReportingServer(owner.id),
    await newReportingServer(owner.id),
    await newReportingServer(disabled.id),
  ];
  await replaceServerKey(owner.id, replaced.id, new Date(Date.now() - HOUR));
  await removeServer(owner.id, removed.id);
  await setAccountDisabled(disabled.email, true);
  const basic = (key: string) => `Basic ${Buffer.from(`anybody:${key}`).toString("base64")}`;
  for (const path of paths) {
    const body = agentAt(path)?.body(now(), 0) ?? "";
    for (const Authorization of [
      `Bearer ${working.key}`,
      `token ${working.key}`,
      `Token ${working.key}`,
      basic(working.key),
    ]) {
      expect((await send(path, null, body, { Authorization })).status, `${path} ${Authorization}`).toBeLessThan(300);
    }
    for (const key of [replaced.key, removed.key, ofDisabled.key, mintToken("serverKey"), owner.token, "csrv_"]) {
      for (const Authorization of [`Bearer ${key}`, `Token ${key}`, basic(key)]) {
        const answer = await send(path, null, body, { Authorization });
        expect(answer, path).toMatchObject({ status: 401, json: { error: "Invalid or replaced server key." } });
      }
    }
    for (const Authorization of ["", "Basic", "Basic !!", "Token", "Digest x", working.key]) {
      const answer = await send(path, null, body, { Authorization });
      expect(answer.status, `${path} ${Authorization}`).toBe(401);
      expect((answer.json as { error: string }).error).toMatch(/^(Missing server key\. Send|Invalid or replaced)/);
    }
  }
});

test("agents of InfluxDB and OTLP find the reason of a failure where they look for it", async () => {
  const refused = await send(INFLUX, mintToken("serverKey"), "");
  const error = "Invalid or replaced server key.";
  expect(refused.json).toEqual({ error, code: "unauthorized", message: error });
  expect((await send(OTLP, mintToken("serverKey"), "{}")).json).toEqual({ error, code: 16, message: error });
});

test("InfluxDB's ping and health are answered to anybody; other methods are 405, other paths 404", async () => {
  const ask = async (path: string, method: string) => {
    const response = await answer(path, { method });
    return [response.status, await response.text()];
  };
  expect(await ask("/ingest/influx/ping", "GET")).toEqual([204, ""]);
  expect(await ask("/ingest/influx/ping", "HEAD")).toEqual([204, ""]);
  const [status, health] = await ask("/ingest/influx/health", "GET");
  expect([status, JSON.parse(String(health))]).toEqual([
    200,
    { name: "console", status: "pass", message: "ready for writes" },
  ]);
  for (const path of paths) {
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) expect((await ask(path, method))[0]).toBe(405);
  }
  expect((await ask("/ingest/influx/health", "POST"))[0]).toBe(405);
  for (const path of ["/ingest/influx/query", "/ingest/prometheus", "/ingest/otlp/v1/traces", "/ingest/collectd/x"]) {
    expect((await ask(path, "POST"))[0], path).toBe(404);
  }
});

test("check-ins of all endpoints count together: beyond 300 a minute each endpoint is 429 with a true Retry-After, for this key alone", async () => {
  const { id: accountId } = await newAccount();
  const [{ id, key }, other] = [await newReportingServer(accountId), await newReportingServer(accountId)];
  const start = now() - 100 * MINUTE;
  // Each scrape of a backlog is a check-in, the first of them counted as the request.
  const backlog = Array.from({ length: 60 }, (_, n) => nodeExporterSeries(start + n * 15 * SECOND, grown(n)));
  // Few at once: a body that takes a busy machine over three seconds is 503 with a part of it stored, and counts once more.
  for (let from = 0; from < 60; from += 10) {
    expect((await writeSeries(key, backlog.slice(from, from + 10).flat())).status).toBe(204);
  }
  const answers: Sent[] = [];
  for (let batch = 0; batch < 14; batch++) {
    const requests = Array.from({ length: 20 }, (_, n) => [CHECK_INS, ...paths][n % (1 + paths.length)] ?? "");
    // A body that tells nothing counts as well.
    answers.push(...(await Promise.all(requests.map((path) => send(path, key, EMPTY[path] ?? "")))));
  }
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBe(240);
  for (const [name, { path, body }] of Object.entries(REPORTERS)) {
    const { status, headers, json } = await send(path, key, body(now(), 70));
    const wait = Number(headers.get("retry-after"));
    expect([status, json], name).toEqual([
      429,
      expect.objectContaining({ error: `Rate limit exceeded. Retry in ${wait} seconds.` }),
    ]);
    expect(wait, name).toBeGreaterThan(0);
    expect(wait, name).toBeLessThanOrEqual(60);
    expect((await send(path, other.key, EMPTY[path] ?? "")).status, name).toBeLessThan(300);
  }
  expect((await samplesOf(id)).filter(({ memUsedPct }) => memUsedPct !== null)).toHaveLength(60);
});

test("every path where machines report their health is among those that these tests go through", () => {
  const reporting = readdirSync("app/ingest", { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === "route.ts")
    .map(({ parentPath }) => ({
      path: parentPath.replace(/^app/, ""),
      source: readFileSync(join(parentPath, "route.ts"), "utf8"),
    }))
    .filter(
      ({ path, source }) =>
        /\breportEndpoint\(/.test(source) && !/^\/ingest\/(?:v1\/(?:edge|benchmarks)|notices)\//.test(path),
    );
  const known = [CHECK_INS, ...paths, "/ingest/influx/write"];
  expect(reporting.map(({ path }) => path).sort()).toEqual(known.sort());
  expect(new Set(Object.values(AGENTS).map(({ path }) => path.split("?")[0]))).toEqual(new Set(paths));
});

test("what the console remembers of an agent is bounded, however much the agent sends, and goes with its key", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const ts = now() - MINUTE;
  const disks = (first: number, round: number) =>
    Array.from({ length: 2000 }, (_, n): Series => {
      const mountpoint = `/${first + n}`;
      return {
        labels: { __name__: "node_filesystem_size_bytes", instance: "a", mountpoint, fstype: "ext4" },
        samples: [[ts + round * 15 * SECOND, 1e9]],
      };
    });
  for (const round of [0, 1]) {
    for (const first of [0, 2000]) expect((await writeSeries(key, disks(first, round))).status).toBe(204);
  }
  const [state, ...more] = await db.agentState.findMany({ where: { key: { serverId: id } } });
  expect(more).toEqual([]);
  const { last, open } = (state?.instants ?? {}) as Record<string, { readings: object } | null>;
  const [inLast, inOpen] = [last, open].map((instant) => Object.keys(instant?.readings ?? {}).length);
  expect([inLast, (inOpen ?? 0) <= MAX_READINGS]).toEqual([MAX_READINGS, true]);
  for (let n = 0; n < 3; n++) {
    const replaced = await replaceServerKey(accountId, id);
    const each = replaced.kind === "replaced" ? replaced.rawKey : "";
    expect((await writeSeries(each, nodeExporterSeries(ts, grown(0)))).status).toBe(204);
    expect((await send(INFLUX, each, `system,host=a load5=1 ${ts}000000`)).status).toBe(204);
  }
  const kept = await db.agentState.findMany({
    where: { key: { serverId: id } },
    orderBy: [{ keyId: "asc" }, { protocol: "asc" }],
  });
  expect(kept.map(({ protocol }) => protocol)).toEqual(["influx", "prometheus", "influx", "prometheus"]);
  expect(kept.map(({ keyId }) => keyId - (state?.keyId ?? 0))).not.toContain(0);
  await removeServer(accountId, id);
  expect(await db.agentState.count({ where: { keyId: state?.keyId ?? 0 } })).toBe(0);
});

test("an agent beside our daemon with the same key is noticed like a second daemon", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const checkIn = () =>
    send("/ingest/v1/check-ins", key, JSON.stringify({ cpu_pct: 5, daemon: "0123456789abcdef" }), {
      "Content-Type": "application/json",
    });
  const ts = now() - 30 * SECOND;
  await checkIn();
  await writeSeries(key, nodeExporterSeries(ts, grown(0)));
  await checkIn();
  await writeSeries(key, nodeExporterSeries(ts + 15 * SECOND, grown(1)));
  expect(await db.event.count({ where: { subjectId: id, kind: "two_daemons", endedAt: null } })).toBe(1);
});

test("a scrape costs three statements and the transaction of its check-in: whose key, what was read before, what is read now", async () => {
  const { id: accountId } = await newAccount();
  const { key } = await newReportingServer(accountId);
  const ts = now() - MINUTE;
  const write = (round: number) =>
    writeInThisProcess(
      new Request("http://console/", {
        method: "POST",
        headers: { ...typeOf(PROMETHEUS), Authorization: `Bearer ${key}` },
        body: packed(nodeExporterSeries(ts + round * 15 * SECOND, grown(round))),
      }),
      { params: Promise.resolve({}) },
    );
  for (const round of [0, 1]) expect((await write(round)).status).toBe(204);
  const queries = await recordQueries(async () => expect((await write(2)).status).toBe(204));
  const verbs = queries.map(({ text }) => /^\s*(\w+)/.exec(text)?.[1]);
  expect(verbs.slice(0, 3)).toEqual(["select", "select", "begin"]);
  expect(verbs.slice(-2)).toEqual(["commit", "insert"]);
  // The check-in tells of a killed process besides.
  expect(verbs.slice(3, -2)).toEqual(["select", "select", "insert", "insert", "with", "insert"]);
});

test("what grows by nothing is no share of anything, and a counter that steps back a little is not negative", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
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

test("OTLP in Protocol Buffers and gzip, as a Collector sends it by default, is the same check-in, and its answers and failures are Protocol Buffers", async () => {
  const { id: accountId } = await newAccount();
  const binary = { "Content-Type": "application/x-protobuf" };
  const samples = [];
  for (const isBinary of [true, false]) {
    const { id, key } = await newReportingServer(accountId);
    for (const round of [0, 1]) {
      const json = String(agentAt(OTLP)?.body(now() - (30 - 15 * round) * SECOND, round));
      const body = isBinary ? plain(gzipSync(exportRequest(JSON.parse(json)))) : json;
      const answer = await ask(OTLP, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${key}`,
          ...(isBinary ? { ...binary, "Content-Encoding": "gzip" } : { "Content-Type": "application/json" }),
        },
        body,
      });
      expect([answer.status, answer.text]).toEqual([200, isBinary ? "" : "{}"]);
      if (isBinary) expect(answer.headers.get("content-type")).toBe("application/x-protobuf");
    }
    samples.push((await samplesOf(id)).map(({ cpuPct, memUsedPct, diskUsedPct }) => [cpuPct, memUsedPct, diskUsedPct]));
  }
  expect(samples[0]).toEqual(samples[1]);
  expect(samples[0]).toHaveLength(2);
  const { key } = await newReportingServer(accountId);
  const whole = exportRequest(JSON.parse(String(agentAt(OTLP)?.body(now(), 0))));
  for (const [bearer, body, status, code, message] of [
    [mintToken("serverKey"), whole, 401, 16, "Invalid or replaced server key."],
    [key, whole.subarray(0, -3), 400, 3, "The body is not a whole ExportMetricsServiceRequest of OTLP."],
    [key, Buffer.alloc(9, 0x0b), 400, 3, "The body is not a whole ExportMetricsServiceRequest of OTLP."],
  ] as const) {
    const response = await answer(OTLP, {
      method: "POST",
      headers: { Authorization: `Bearer ${bearer}`, ...binary },
      body: plain(body),
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/x-protobuf"]);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 2)]).toEqual([8, code]);
    expect(bytes.subarray(4).toString()).toBe(message);
  }
});

test("512 cores of system.cpu.time are taken in one body, in either encoding", async () => {
  const { id: accountId } = await newAccount();
  const states = ["user", "nice", "system", "idle", "wait", "interrupt", "softirq", "steal"];
  const dataPoints = Array.from({ length: 512 }, (_, core) => core).flatMap((core) =>
    states.map((state) => ({
      attributes: [
        { key: "cpu", value: { stringValue: `cpu${core}` } },
        { key: "state", value: { stringValue: state } },
      ],
      startTimeUnixNano: `${now() - HOUR}000000`,
      timeUnixNano: `${now()}000000`,
      asDouble: core,
    })),
  );
  const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints };
  const request = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: "system.cpu.time", sum }] }] }] };
  for (const [body, type] of [
    [JSON.stringify(request), "application/json"],
    [exportRequest(request), "application/x-protobuf"],
  ] as const) {
    const { key } = await newReportingServer(accountId);
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": type };
    const { status, text } = await ask(OTLP, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : plain(body),
    });
    expect([status, text], type).toEqual([200, type.endsWith("json") ? "{}" : ""]);
  }
});
