import { expect, test } from "vitest";
import { getData } from "@/e2e/support/ask";
import { newAccount, putSample } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";

// The answers of all endpoints against what was stored, as literals: a field that is renamed, dropped, retyped or too
// many, null and 0 for one another, and seconds for milliseconds are all a difference.

test("every endpoint answers what was stored, as the contract says", async () => {
  const { expected, token } = await fill();
  for (const [path, data] of Object.entries(expected)) {
    const answered = await getData<object>(path, token);
    expect(answered, path).toEqual(data);
    expectOwnScore(answered);
  }
});

/** A detail's score is what its components come to. */
function expectOwnScore(data: { score?: number; score_components?: Record<string, number> }): void {
  if (!data.score_components) return;
  const { cpu = 0, memory = 0, disk = 0, network = 0, stability = 0, freshness = 0 } = data.score_components;
  const sum = 20 * cpu + 20 * memory + 20 * disk + 15 * network + 15 * stability + 10 * freshness;
  expect(data.score).toBe(Math.round(sum / 100));
}

/** Something of everything, nulls included; and what each endpoint must answer about it, as literals. */
async function fill() {
  const now = Date.now();
  const at = (age: number) => ({ date: new Date(now - age), ms: now - age });
  const { token, ...account } = await newAccount("support");

  const [created, seen] = [at(30 * DAY), at(10 * SECOND)];
  const facts = { os: "Debian 13", kernel: "6.12", cores: 4, arch: "x86_64" };
  const silent = await db.server.create({
    data: {
      accountId: account.id,
      label: "Silent",
      hostname: "s.example.net",
      createdAt: created.date,
      lastSeenAt: created.date,
    },
  });
  const partial = await db.server.create({
    data: {
      accountId: account.id,
      label: "Partial",
      hostname: "p.example.net",
      createdAt: created.date,
      lastSeenAt: seen.date,
    },
  });
  const whole = await db.server.create({
    data: {
      accountId: account.id,
      label: "Whole",
      hostname: "w.example.net",
      publicIp: "192.0.2.1",
      facts,
      createdAt: created.date,
      lastSeenAt: seen.date,
    },
  });
  await putSample(partial.id, seen.date, { memUsedMb: 512 });
  await putSample(whole.id, seen.date, { cpuPct: 12.5, memUsedMb: 1640.25, memTotalMb: 4000, diskUsedPct: 91 });
  const listed = (id: number, label: string, lastSeen: number, online: boolean, publicIp: string | null) => ({
    id,
    label,
    hostname: `${label.charAt(0).toLowerCase()}.example.net`,
    online,
    score: expect.any(Number),
    last_seen: lastSeen,
    public_ip: publicIp,
  });
  const detail = (latestSample: unknown, theFacts: object) => ({
    created_at: created.ms,
    facts: theFacts,
    score_components: expect.any(Object),
    score_notes: expect.any(Array),
    latest_sample: latestSample,
  });
  const servers = {
    silent: listed(silent.id, "Silent", created.ms, false, null),
    partial: listed(partial.id, "Partial", seen.ms, true, null),
    whole: listed(whole.id, "Whole", seen.ms, true, "192.0.2.1"),
  };

  const [older, newer] = [at(2 * DAY), at(DAY)];
  const measured = { cpu: 81, disk: 64, network: 100, stability: 90, total: 79 };
  const nothing = { cpu: null, disk: null, network: null, stability: null, total: null };
  const first = await db.benchmarkRun.create({
    data: { serverId: whole.id, label: "first", status: "done", finishedAt: older.date, ...nothing, log: "SECRET" },
  });
  const second = await db.benchmarkRun.create({
    data: { serverId: whole.id, label: "second", status: "done", finishedAt: newer.date, ...measured, verified: true },
  });

  const names = { javaHostname: "play.example.net", originHost: "198.51.100.7", originPort: 25_565 };
  const times = { createdAt: older.date, updatedAt: newer.date };
  const active = await db.gameService.create({
    data: { accountId: account.id, name: "Active", status: "active", configVersion: 7, ...names, ...times },
  });
  const failed = await db.gameService.create({
    data: { accountId: account.id, name: "Failed", status: "failed", error: "Origin refused.", ...names, ...times },
  });
  const service = (id: number, name: string, status: string, configVersion: number, error: string | null) => ({
    id,
    name,
    status,
    java_hostname: "play.example.net",
    origin_host: "198.51.100.7",
    origin_port: 25_565,
    config_version: configVersion,
    error,
    created_at: older.ms,
    updated_at: newer.ms,
  });
  const services = [
    service(active.id, "Active", "active", 7, null),
    service(failed.id, "Failed", "failed", 1, "Origin refused."),
  ];

  const interval = at(HOUR - 5 * MINUTE);
  const counters = { packets: 5, bytes: 2n ** 53n - 1n, dropped: 1, connections: 2 };
  for (const [nodeId, latencyMs] of [
    [1, null],
    [2, 18.25],
  ] as const) {
    await db.metricSample.create({ data: { serviceId: active.id, ts: interval.date, nodeId, ...counters, latencyMs } });
  }
  const series = [
    { ts: interval.ms, node_id: 1, ...counters, bytes: Number(counters.bytes), latency_ms: null },
    { ts: interval.ms, node_id: 2, ...counters, bytes: Number(counters.bytes), latency_ms: 18.25 },
  ];

  return {
    expected: {
      "/api/v1/me": account,
      "/api/v1/servers": { servers: [servers.silent, servers.partial, servers.whole] },
      [`/api/v1/servers/${silent.id}`]: { ...servers.silent, ...detail(null, {}) },
      [`/api/v1/servers/${partial.id}`]: { ...servers.partial, ...detail({ ts: seen.ms, mem_used_mb: 512 }, {}) },
      [`/api/v1/servers/${whole.id}`]: {
        ...servers.whole,
        ...detail({ ts: seen.ms, cpu_pct: 12.5, mem_used_mb: 1640.25, mem_total_mb: 4000, disk_used_pct: 91 }, facts),
      },
      [`/api/v1/servers/${whole.id}/benchmarks`]: {
        benchmarks: [
          { id: second.id, label: "second", status: "done", scores: measured, verified: true, finished_at: newer.ms },
          { id: first.id, label: "first", status: "done", scores: nothing, verified: false, finished_at: older.ms },
        ],
      },
      "/api/v1/game-services": { services },
      [`/api/v1/game-services/${active.id}`]: services[0],
      [`/api/v1/game-services/${active.id}/metrics`]: { range: "1h", series },
      [`/api/v1/game-services/${failed.id}/metrics?range=7d`]: { range: "7d", series: [] },
    },
    token,
  };
}
