import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { grown, nodeExporterSeries } from "@/e2e/support/agent-bodies";
import { AGENTS, CHECK_INS, EMPTY, plain, REPORTERS } from "@/e2e/support/agent-protocols";
import { agentAt, INFLUX, now, OTLP, paths, samplesOf, send, writeSeries } from "@/e2e/support/agent-requests";
import { answer, ask } from "@/e2e/support/ask";
import { type Answer, bearer } from "@/e2e/support/calls";
import { newAccount, newOwnedReporter, newReportingServer, unusableKeys } from "@/e2e/support/factories";
import { exportRequest } from "@/e2e/support/otlp-request";
import type { Series } from "@/e2e/support/write-request";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import { removeServer } from "@/lib/servers/management";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { MAX_READINGS } from "@/lib/servers/telemetry/agents/instants";
import { mintToken } from "@/lib/tokens/format";

// Keys, methods, limits and costs of the endpoints of stock agents.

test("Bearer, Token and Basic carry the key; every bad key gets the same 401", async () => {
  const [working, unusable] = [await newReportingServer(), await unusableKeys()];
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
    for (const key of unusable) {
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

test("failures give their reason where agents of InfluxDB and OTLP look for it", async () => {
  const refused = await send(INFLUX, mintToken("serverKey"), "");
  const error = "Invalid or replaced server key.";
  expect(refused.json).toEqual({ error, code: "unauthorized", message: error });
  expect((await send(OTLP, mintToken("serverKey"), "{}")).json).toEqual({ error, code: 16, message: error });
});

test("ping and health of InfluxDB need no key; other methods and paths are refused", async () => {
  for (const method of ["GET", "HEAD"]) {
    expect(await ask("/ingest/influx/ping", { method })).toMatchObject({ status: 204, text: "" });
  }
  const health = await ask("/ingest/influx/health");
  expect(health.status).toBe(200);
  expect(JSON.parse(health.text)).toEqual({ name: "console", status: "pass", message: "ready for writes" });
  for (const path of paths) {
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expect((await ask(path, { method })).status).toBe(405);
    }
  }
  expect((await ask("/ingest/influx/health", { method: "POST" })).status).toBe(405);
  for (const path of ["/ingest/influx/query", "/ingest/prometheus", "/ingest/otlp/v1/traces", "/ingest/collectd/x"]) {
    expect((await ask(path, { method: "POST" })).status, path).toBe(404);
  }
});

test("check-ins with one key share 300 a minute over all endpoints, then get 429", async () => {
  const { id: accountId } = await newAccount();
  const [{ id, key }, other] = [await newReportingServer(accountId), await newReportingServer(accountId)];
  const start = now() - 100 * MINUTE;
  // Each scrape of a backlog is a check-in, the first of them counted as the request.
  const backlog = Array.from({ length: 60 }, (_, n) => nodeExporterSeries(start + n * 15 * SECOND, grown(n)));
  // Few at once: a body that takes a busy machine over three seconds is 503 with a part of it stored, and counts once more.
  for (let from = 0; from < 60; from += 10) {
    expect((await writeSeries(key, backlog.slice(from, from + 10).flat())).status).toBe(204);
  }
  const answers: Answer[] = [];
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

test("every path where machines report their health is covered by these tests", () => {
  const reporting = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /^ingest\/(?!v1\/(?:edge|benchmarks)\/|notices\/).*\/route\.ts$/.test(file))
    .filter((file) => /\breportEndpoint\(/.test(readFileSync(join("app", file), "utf8")));
  const known = [CHECK_INS, ...paths, "/ingest/influx/write"];
  expect(reporting.map((file) => `/${dirname(file)}`).sort()).toEqual(known.sort());
  expect(new Set(Object.values(AGENTS).map(({ path }) => path.split("?")[0]))).toEqual(new Set(paths));
});

test("the state kept for an agent is bounded and is deleted with its key", async () => {
  const { accountId, id, key } = await newOwnedReporter();
  const ts = now() - MINUTE;
  const disks = (first: number, round: number) =>
    Array.from({ length: 2000 }, (_, n): Series => {
      const mountpoint = `/${first + n}`;
      return {
        labels: { __name__: "node_filesystem_size_bytes", instance: "a", mountpoint, fstype: "ext4" },
        samples: [[ts + round * 15 * SECOND, 1e9]],
      };
    });
  // Its key would be larger than 128 bytes.
  const [one] = disks(0, 0);
  const long = { ...one, labels: { ...one?.labels, mountpoint: `/${"€".repeat(60)}` } } as Series;
  expect((await writeSeries(key, [long, ...disks(0, 0).slice(0, 1)])).status).toBe(204);
  expect(JSON.stringify(await db.agentState.findFirst({ where: { key: { serverId: id } } }))).not.toContain("€");
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

test("an agent beside our daemon with the same key is reported as two daemons", async () => {
  const { id, key } = await newReportingServer();
  const checkIn = () => send(CHECK_INS, key, JSON.stringify({ cpu_pct: 5, daemon: "0123456789abcdef" }));
  const ts = now() - 30 * SECOND;
  await checkIn();
  await writeSeries(key, nodeExporterSeries(ts, grown(0)));
  await checkIn();
  await writeSeries(key, nodeExporterSeries(ts + 15 * SECOND, grown(1)));
  expect(await db.event.count({ where: { subjectId: id, kind: "two_daemons", endedAt: null } })).toBe(1);
});

test("OTLP in compressed Protocol Buffers makes the same check-in, answered in Protocol Buffers", async () => {
  const { id: accountId } = await newAccount();
  const binary = { "Content-Type": "application/x-protobuf" };
  const samples = [];
  for (const isBinary of [true, false]) {
    const { id, key } = await newReportingServer(accountId);
    for (const round of [0, 1]) {
      const json = String(agentAt(OTLP)?.body(now() - (30 - 15 * round) * SECOND, round));
      const body = isBinary ? plain(gzipSync(exportRequest(JSON.parse(json)))) : json;
      const type = isBinary ? { ...binary, "Content-Encoding": "gzip" } : { "Content-Type": "application/json" };
      const answer = await ask(OTLP, { method: "POST", headers: { ...bearer(key), ...type }, body });
      expect([answer.status, answer.text]).toEqual([200, isBinary ? "" : "{}"]);
      if (isBinary) expect(answer.headers.get("content-type")).toBe("application/x-protobuf");
    }
    samples.push((await samplesOf(id)).map(({ cpuPct, memUsedPct, diskUsedPct }) => [cpuPct, memUsedPct, diskUsedPct]));
  }
  expect(samples[0]).toEqual(samples[1]);
  expect(samples[0]).toHaveLength(2);
  const { key } = await newReportingServer(accountId);
  const whole = exportRequest(JSON.parse(String(agentAt(OTLP)?.body(now(), 0))));
  for (const [sender, body, status, code, message, method = "POST", path = OTLP] of [
    [key, whole, 405, 12, "Method not allowed. Machines report with POST.", "PUT"],
    [mintToken("serverKey"), whole, 401, 16, "Invalid or replaced server key."],
    [key, whole.subarray(0, -3), 400, 3, "The body is not a whole ExportMetricsServiceRequest of OTLP."],
    [key, Buffer.alloc(9, 0x0b), 400, 3, "The body is not a whole ExportMetricsServiceRequest of OTLP."],
    [key, whole, 404, 5, "Not found.", "POST", "/ingest/otlp/v1/logs"],
  ] as [string, Buffer, number, number, string, string?, string?][]) {
    const headers = { ...bearer(sender), ...binary };
    const response = await answer(path, { method, headers, body: plain(body) });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/x-protobuf"]);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 2)]).toEqual([8, code]);
    expect(bytes.subarray(4).toString()).toBe(message);
  }
});
