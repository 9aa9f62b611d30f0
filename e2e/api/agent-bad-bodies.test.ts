import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { grown, hostMetrics, nodeExporterSeries, snappy, telegrafLines } from "@/e2e/support/agent-bodies";
import { type Body, packed, plain } from "@/e2e/support/agent-protocols";
import {
  agentAt,
  INFLUX,
  now,
  OTLP,
  PROMETHEUS,
  paths,
  samplesOf,
  send,
  writeSeries,
} from "@/e2e/support/agent-requests";
import { getData } from "@/e2e/support/ask";
import { ago, newOwnedReporter, newReportingServer } from "@/e2e/support/factories";
import { writeRequest } from "@/e2e/support/write-request";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";

// Bodies of stock agents that tell nothing, are bent, or are too large.

test("series that tell nothing are taken and make no check-in, whatever instances they have", async () => {
  const anHourAgo = ago(HOUR);
  const { token, id, key } = await newOwnedReporter({ createdAt: anHourAgo, lastSeenAt: anHourAgo });
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

test("a body with readings of two machines is 400 and stores nothing", async () => {
  const { id, key } = await newReportingServer();
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

test("a bad entry is refused by its number, and the others are stored", async () => {
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
      // The one without a number is left out.
      /"rejectedDataPoints":"1".*a data point has no timeUnixNano/,
    ],
  ] as [string, (ms: number, times: number) => string, number, RegExp][]) {
    const { id, key } = await newReportingServer();
    for (const round of [0, 1]) {
      const answer = await send(path, key, bent(good(round), round));
      expect([answer.status, answer.text], path).toEqual([status, expect.stringMatching(told)]);
    }
    const samples = await samplesOf(id);
    expect(samples, path).toHaveLength(2);
    expect(samples[1], path).toMatchObject({ cpuPct: 31.25, memUsedPct: 37.5 });
  }
});

test("a malformed body is 4xx with a sentence on every endpoint and stores nothing", async () => {
  const { id, key } = await newReportingServer();
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
    const json = { error: expect.stringMatching(message) };
    const what = `${path} ${String(body).slice(0, 60)}`;
    expect(await send(path, key, body, headers), what).toMatchObject({ status: 400, json });
  }
  expect(await samplesOf(id)).toEqual([]);
  expect(await db.agentState.count({ where: { key: { serverId: id } } })).toBe(0);
});

test("unusable data points of OTLP are rejected one by one and fail no request", async () => {
  const { key } = await newReportingServer();
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
    [{ gauge: { dataPoints: [null, 5, {}] } }, undefined],
    [{ gauge: { dataPoints: [{ timeUnixNano: time }] } }, undefined],
    [{ gauge: { dataPoints: {} } }, undefined],
    [{ histogram: { dataPoints: [{}] } }, undefined],
  ] as [object, string | undefined][]) {
    const answer = await send(OTLP, key, JSON.stringify(metric(kind)));
    expect(answer.status, JSON.stringify(kind)).toBe(200);
    const { partialSuccess } = answer.json as { partialSuccess?: { rejectedDataPoints: string } };
    expect(partialSuccess?.rejectedDataPoints, JSON.stringify(kind)).toBe(rejected);
  }
});

test("a body that unpacks beyond the limit is refused, whatever size it declares", async () => {
  const { key } = await newReportingServer();
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
    const error = expect.stringMatching(/^The body (is larger than|has more than) .*\. .*(smaller)/);
    expect(await send(path, key, body, headers), path).toMatchObject({ status: 413, json: { error } });
  }
});

test("an unsupported encoding or media type is 415 with a sentence", async () => {
  const { key } = await newReportingServer();
  const v2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
  const v1 = "application/x-protobuf;proto=prometheus.WriteRequest";
  for (const [path, headers, message] of [
    [PROMETHEUS, { "Content-Encoding": "gzip" }, /Content-Encoding: snappy/],
    [PROMETHEUS, { "Content-Type": "application/json" }, /application\/x-protobuf/],
    [INFLUX, { "Content-Encoding": "br" }, /line protocol/],
    [OTLP, { "Content-Type": "text/plain" }, /application\/x-protobuf or application\/json/],
    [OTLP, { "Content-Encoding": "zstd" }, /Content-Encoding: zstd is not taken/],
  ] as [string, Record<string, string>, RegExp][]) {
    const answer = await send(path, key, agentAt(path)?.body(now(), 0) ?? "", headers);
    expect([answer.status, answer.text], path).toEqual([415, expect.stringMatching(message)]);
  }
  // Of the two versions the body decides.
  for (const type of [v1, v2]) {
    expect((await send(PROMETHEUS, key, packed([]), { "Content-Type": type })).status).toBe(204);
  }
  const lines = telegrafLines(now(), grown(0));
  const asGzip = await send(INFLUX, key, plain(gzipSync(lines)), { "Content-Encoding": "gzip" });
  expect(asGzip.status).toBe(204);
  expect((await send("/ingest/influx/write?db=telegraf&precision=ns", key, lines)).status).toBe(204);
  expect(await send(`${INFLUX}?precision=h`, key, lines)).toMatchObject({ status: 400 });
});
