import { expect, test } from "vitest";
import { call, expectFailure, getData } from "@/e2e/support/ask";
import { newAccount, newBenchmarkRun, newGameService, newServer, putSample } from "@/e2e/support/factories";
import { recordCheckIn, sendSample } from "@/e2e/support/record-check-in";
import type { ServerDetail } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";

test("GET /me answers the account that owns the token, four fields", async () => {
  const { id, name, email, token } = await newAccount("support");
  expect(await getData("/api/v1/me", token)).toEqual({ id, name, email, role: "support" });
});

test("GET /servers lists the account's servers by id, with exactly the seven fields", async () => {
  const { id: accountId, token } = await newAccount();
  const stranger = await newAccount();
  await newServer(stranger.id);
  const first = await newServer(accountId, { label: "Berlin 1", hostname: "b1.example.net", publicIp: "192.0.2.10" });
  const second = await newServer(accountId, { label: "Berlin 2", hostname: "b2.example.net" });
  const createdAt = new Date(Date.now() - HOUR);
  await db.server.update({ where: { id: second.id }, data: { createdAt } });
  const seenAt = new Date(Date.now() - 10 * SECOND);
  await db.server.update({ where: { id: first.id }, data: { lastSeenAt: seenAt } });

  expect(await getData("/api/v1/servers", token)).toEqual({
    servers: [
      {
        id: first.id,
        label: "Berlin 1",
        hostname: "b1.example.net",
        online: true,
        score: 550,
        last_seen: seenAt.getTime(),
        public_ip: "192.0.2.10",
      },
      {
        id: second.id,
        label: "Berlin 2",
        hostname: "b2.example.net",
        online: false,
        score: 500,
        last_seen: createdAt.getTime(),
        public_ip: null,
      },
    ],
  });
});

test("GET /servers of an account without servers is an empty list", async () => {
  const { token } = await newAccount();
  expect(await getData("/api/v1/servers", token)).toEqual({ servers: [] });
});

test("a server is online until two minutes after its last check-in", async () => {
  const { id: accountId, token } = await newAccount();
  const createdAt = new Date(Date.now() - DAY);
  const fresh = await newServer(accountId, { createdAt, lastSeenAt: new Date(Date.now() - 2 * MINUTE + 20 * SECOND) });
  const stale = await newServer(accountId, { createdAt, lastSeenAt: new Date(Date.now() - 2 * MINUTE - SECOND) });
  const { servers } = await getData<{ servers: { id: number; online: boolean }[] }>("/api/v1/servers", token);
  expect(servers.map(({ id, online }) => ({ id, online }))).toEqual([
    { id: fresh.id, online: true },
    { id: stale.id, online: false },
  ]);
});

test("GET /servers/:id answers a checked-in server in full, with its score explained", async () => {
  const { id: accountId, token } = await newAccount();
  const createdAt = new Date(Date.now() - 30 * DAY);
  const { id } = await newServer(accountId, {
    label: "Paris",
    hostname: "p.example.net",
    createdAt,
    firstSeenAt: createdAt,
    lastSeenAt: createdAt,
  });
  const at = new Date();
  const sample = {
    cpuPct: 12.5,
    memUsedMb: 1640.25,
    memTotalMb: 4000,
    diskUsedPct: 91,
    netLossPct: 0,
    uptimeS: 86_400,
  };
  await recordCheckIn(
    id,
    {
      facts: { os: "Debian 12", kernel: "6.1.0-18", cores: 4, arch: "x86_64" },
      publicIp: "203.0.113.5",
      sample: { ...sample, load5: 0.25, oomKills: 0, failedUnits: 0 },
    },
    at,
  );
  const server = await getData<ServerDetail>(`/api/v1/servers/${id}`, token);
  // Of the minutes before its first check-in none was seen.
  expect(server).toEqual({
    id,
    label: "Paris",
    hostname: "p.example.net",
    online: true,
    public_ip: "203.0.113.5",
    last_seen: at.getTime(),
    score: 720,
    created_at: createdAt.getTime(),
    facts: { os: "Debian 12", kernel: "6.1.0-18", cores: 4, arch: "x86_64" },
    score_components: { cpu: 1000, memory: 1000, disk: 350, network: 1000, stability: 0, freshness: 1000 },
    score_notes: [
      expect.stringMatching(
        /^Stability: 0 % of check-ins received in 24 hours \(full score at 100 %\); costs 150 points\.$/,
      ),
      "Disk: 91 % full (full score up to 70 %); costs 130 points.",
    ],
    latest_sample: {
      ts: at.getTime(),
      cpu_pct: 12.5,
      load5: 0.25,
      mem_used_mb: 1640.25,
      mem_total_mb: 4000,
      disk_used_pct: 91,
      net_loss_pct: 0,
      uptime_s: 86_400,
      oom_kills: 0,
      failed_units: 0,
    },
  });
});

test("the score counts restarts, killed processes and failed units of the day, and says so", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId, { createdAt: new Date(Date.now() - 3 * MINUTE) });
  const now = Date.now();
  const sample = { cpuPct: 1, uptimeS: 86_400, oomKills: 0, failedUnits: 0 };
  await recordCheckIn(id, { sample }, new Date(now - 3 * MINUTE));
  await recordCheckIn(id, { sample: { ...sample, oomKills: 2 } }, new Date(now - 2 * MINUTE));
  await recordCheckIn(id, { sample: { ...sample, uptimeS: 5, failedUnits: 3 } }, new Date(now - MINUTE));
  const { score_components: components, score_notes: notes } = await getData<ServerDetail>(
    `/api/v1/servers/${id}`,
    token,
  );
  expect(components.stability).toBe(300);
  expect(notes.find((note) => note.startsWith("Stability"))).toContain(
    "1 restart in 24 hours, 2 processes killed for lack of memory in 24 hours, 3 failed system services",
  );
});

test("the score of the list and of the detail agree, and the weights reproduce it from the components", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId, { createdAt: new Date(Date.now() - DAY) });
  await recordCheckIn(id, {
    sample: { cpuPct: 93.7, memUsedMb: 3, memTotalMb: 4, diskUsedPct: 83.3, netLossPct: 1.7 },
  });
  const { servers } = await getData<{ servers: { score: number }[] }>("/api/v1/servers", token);
  const detail = await getData<{ score: number; score_components: Record<string, number> }>(
    `/api/v1/servers/${id}`,
    token,
  );
  expect(servers[0]?.score).toBe(detail.score);
  const { cpu = 0, memory = 0, disk = 0, network = 0, stability = 0, freshness = 0 } = detail.score_components;
  const sum = 20 * cpu + 20 * memory + 20 * disk + 15 * network + 15 * stability + 10 * freshness;
  expect(detail.score).toBe(Math.round(sum / 100));
});

test("latest_sample is null when no sample has arrived, and the latest of several otherwise", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId);
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ latest_sample: null });
  const begin = Date.now() - HOUR;
  for (const minutes of [3, 1, 2]) {
    await sendSample(id, begin + minutes * MINUTE, { cpuPct: minutes, memUsedMb: 100 * minutes });
  }
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
    latest_sample: { ts: begin + 3 * MINUTE, cpu_pct: 3, mem_used_mb: 300 },
  });
});

test("a measurement that was not made is left out of latest_sample, never null", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId);
  const ts = new Date(Date.now() - MINUTE);
  await putSample(id, ts, { memUsedMb: 512 });
  const server = await getData<{ latest_sample: unknown }>(`/api/v1/servers/${id}`, token);
  expect(server.latest_sample).toEqual({ ts: ts.getTime(), mem_used_mb: 512 });
});

test("GET /servers/:id/benchmarks lists finished runs only, newest first, nulls where nothing was measured", async () => {
  const { id: accountId, token } = await newAccount();
  const { id: serverId } = await newServer(accountId);
  const finishedAt = new Date(Date.now() - DAY);
  const secrets = { log: "SECRET-LOG-MARKER", agentTokenHash: "SECRET-AGENT-MARKER" };
  await newBenchmarkRun(serverId, { status: "pending", finishedAt: null, ...secrets });
  await newBenchmarkRun(serverId, { status: "running", finishedAt: null, ...secrets });
  const older = await newBenchmarkRun(serverId, { label: "first", finishedAt, cpu: 0, total: null, ...secrets });
  const sameTime = await newBenchmarkRun(serverId, { label: "tie", finishedAt, ...secrets });
  const newest = await newBenchmarkRun(serverId, {
    label: "second",
    finishedAt: new Date(finishedAt.getTime() + HOUR),
    cpu: 81,
    disk: 64,
    network: 100,
    stability: 90,
    total: 79,
    verified: true,
    ...secrets,
  });
  const noScores = { cpu: null, disk: null, network: null, stability: null, total: null };
  const { text, json } = await call(`/api/v1/servers/${serverId}/benchmarks`, token);
  expect(json).toEqual({
    data: {
      benchmarks: [
        {
          id: newest.id,
          label: "second",
          status: "done",
          scores: { cpu: 81, disk: 64, network: 100, stability: 90, total: 79 },
          verified: true,
          finished_at: finishedAt.getTime() + HOUR,
        },
        {
          id: sameTime.id,
          label: "tie",
          status: "done",
          scores: noScores,
          verified: false,
          finished_at: finishedAt.getTime(),
        },
        {
          id: older.id,
          label: "first",
          status: "done",
          scores: { ...noScores, cpu: 0 },
          verified: false,
          finished_at: finishedAt.getTime(),
        },
      ],
    },
  });
  expect(text).not.toContain("MARKER");
});

test("GET /servers/:id/benchmarks of a server without finished runs is an empty list", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId);
  await newBenchmarkRun(id, { status: "running", finishedAt: null });
  expect(await getData(`/api/v1/servers/${id}/benchmarks`, token)).toEqual({ benchmarks: [] });
});

test("GET /game-services lists owned and granted services by id, and the detail has the same ten fields", async () => {
  const { id: accountId, token } = await newAccount();
  const other = await newAccount();
  const granted = await newGameService(other.id, { name: "Shared", status: "failed", error: "Origin refused." });
  await newGameService(other.id);
  const owned = await newGameService(accountId, { name: "Own", status: "active", configVersion: 7 });
  await db.serviceGrant.create({ data: { serviceId: granted.id, accountId } });
  await db.serviceGrant.create({ data: { serviceId: owned.id, accountId } });
  const rows = await db.gameService.findMany({ where: { id: { in: [granted.id, owned.id] } }, orderBy: { id: "asc" } });
  const expected = rows.map((row) => ({
    id: row.id,
    name: row.id === owned.id ? "Own" : "Shared",
    status: row.id === owned.id ? "active" : "failed",
    java_hostname: row.javaHostname,
    origin_host: "198.51.100.7",
    origin_port: 25_565,
    config_version: row.id === owned.id ? 7 : 1,
    error: row.id === owned.id ? null : "Origin refused.",
    created_at: row.createdAt.getTime(),
    updated_at: row.updatedAt.getTime(),
  }));
  expect(await getData("/api/v1/game-services", token)).toEqual({ services: expected });
  expect(await getData(`/api/v1/game-services/${granted.id}`, token)).toEqual(expected[0]);
  expect(await getData(`/api/v1/game-services/${owned.id}`, token)).toEqual(expected[1]);
});

for (const [range, age] of [
  ["1h", HOUR],
  ["24h", DAY],
  ["7d", 7 * DAY],
] as const) {
  test(`metrics of ${range}: every stored interval inside the window, none outside, by ts and then node`, async () => {
    const { id: accountId, token } = await newAccount();
    const { id: serviceId } = await newGameService(accountId);
    const now = Date.now();
    const inside = [now - age + 20 * SECOND, now - 2 * SECOND];
    const outside = [now - age - SECOND, now + MINUTE];
    const zeros = { packets: 0n, bytes: 0n, dropped: 0n, connections: 0n };
    await db.metricSample.createMany({
      data: [
        ...outside.map((ts) => ({ serviceId, ts: new Date(ts), nodeId: 1, ...zeros })),
        { serviceId, ts: new Date(inside[1] ?? 0), nodeId: 2, ...zeros, latencyMs: 18.25 },
        { serviceId, ts: new Date(inside[1] ?? 0), nodeId: 1, ...zeros, dropped: 3n },
        {
          serviceId,
          ts: new Date(inside[0] ?? 0),
          nodeId: 3,
          ...zeros,
          bytes: 2n ** 53n - 1n,
          packets: 7n,
          connections: 2n,
        },
      ],
    });
    const counters = { packets: 0, bytes: 0, dropped: 0, connections: 0 };
    expect(await getData(`/api/v1/game-services/${serviceId}/metrics?range=${range}`, token)).toEqual({
      range,
      series: [
        {
          ts: inside[0],
          node_id: 3,
          ...counters,
          bytes: 9007199254740991,
          packets: 7,
          connections: 2,
          latency_ms: null,
        },
        { ts: inside[1], node_id: 1, ...counters, dropped: 3, latency_ms: null },
        { ts: inside[1], node_id: 2, ...counters, latency_ms: 18.25 },
      ],
    });
  });
}

test("a whole week of two nodes is complete and in order to the millisecond, as it is and compressed", async () => {
  const { id: accountId, token } = await newAccount();
  const { id: serviceId } = await newGameService(accountId);
  const start = Date.now() - 7 * DAY + MINUTE;
  const stored = Array.from({ length: 1000 * 2 }, (_, index) => ({
    ts: start + Math.floor(index / 2) * (10 * MINUTE + 1),
    node_id: (index % 2) + 1,
    packets: index,
    bytes: 1000 * index,
    dropped: 0,
    connections: 1,
    latency_ms: index % 3 === 0 ? null : 0.1 * index,
  }));
  await db.metricSample.createMany({
    data: stored.toReversed().map(({ ts, node_id, packets, bytes, dropped, connections, latency_ms }) => ({
      serviceId,
      ts: new Date(ts),
      nodeId: node_id,
      packets: BigInt(packets),
      bytes: BigInt(bytes),
      dropped: BigInt(dropped),
      connections: BigInt(connections),
      latencyMs: latency_ms,
    })),
  });
  for (const coding of ["identity", "gzip"]) {
    const headers = { "Accept-Encoding": coding };
    const path = `/api/v1/game-services/${serviceId}/metrics?range=7d`;
    expect(await getData(path, token, { headers })).toEqual({ range: "7d", series: stored });
  }
});

test("since leaves out what is not later, narrows the range and never widens it; in the future it leaves nothing", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newGameService(accountId);
  const now = Date.now();
  const at = (minutes: number) => now - minutes * MINUTE;
  const counters = { packets: 1n, bytes: 1n, dropped: 0n, connections: 1n };
  const rows = [90, 30, 20, 10].flatMap((minutes) =>
    [1, 2].map((nodeId) => ({ serviceId: id, ts: new Date(at(minutes)), nodeId, ...counters })),
  );
  await db.metricSample.createMany({ data: rows });
  const path = `/api/v1/game-services/${id}/metrics`;
  const found = async (query: string) => {
    const { series } = await getData<{ series: { ts: number; node_id: number }[] }>(`${path}?${query}`, token);
    return series.map(({ ts, node_id }) => [(now - ts) / MINUTE, node_id]);
  };
  const both = (...minutes: number[]) => minutes.flatMap((each) => [1, 2].map((nodeId) => [each, nodeId]));
  expect(await found(`since=${at(20)}`)).toEqual(both(10));
  expect(await found(`since=${at(20) - 1}`)).toEqual(both(20, 10));
  expect(await found(`since=${at(100)}`)).toEqual(both(30, 20, 10));
  expect(await found(`range=24h&since=${at(100)}`)).toEqual(both(90, 30, 20, 10));
  expect(await found("range=7d&since=0")).toEqual(both(90, 30, 20, 10));
  expect(await found(`since=${now + DAY}`)).toEqual([]);
});

for (const value of ["", "-1", "1e400", "1.5", "x", "8640000000000001", "1&since=1"]) {
  test(`since=${value} is 400, with HEAD as well, and for a service of another account 404`, async () => {
    const [owner, stranger] = [await newAccount(), await newAccount()];
    const { id } = await newGameService(owner.id);
    const path = `/api/v1/game-services/${id}/metrics?since=${value}`;
    await expectFailure(call(path, owner.token), 400, "Invalid since. Send whole Unix epoch milliseconds, once.");
    expect((await call(path, owner.token, { method: "HEAD" })).status).toBe(400);
    await expectFailure(call(path, stranger.token), 404, "Not found.");
  });
}

test("metrics without a range are those of the last hour; a service without intervals has an empty series", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newGameService(accountId);
  expect(await getData(`/api/v1/game-services/${id}/metrics`, token)).toEqual({ range: "1h", series: [] });
  expect(await getData(`/api/v1/game-services/${id}/metrics?range=%31h`, token)).toEqual({ range: "1h", series: [] });
});

for (const query of [
  "range=",
  "range",
  "range=2h",
  "range=1H",
  "range=1h%20",
  "range=+1h",
  "range=%00",
  "range=constructor",
  "range=__proto__",
  "range=1h&range=1h",
  "range=1h&range=24h",
  `range=${"7d".repeat(3000)}`,
]) {
  test(`metrics?${query.slice(0, 40)} is 400 with the allowed values`, async () => {
    const { id: accountId, token } = await newAccount();
    const { id } = await newGameService(accountId);
    await expectFailure(
      call(`/api/v1/game-services/${id}/metrics?${query}`, token),
      400,
      "Invalid range. Allowed values: 1h, 24h, 7d.",
    );
  });
}

test("a parameter of another name is no range: range[]=1h and Range=7d are ignored", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newGameService(accountId);
  for (const query of ["range[]=24h", "Range=7d", "ranges=7d"]) {
    expect(await getData(`/api/v1/game-services/${id}/metrics?${query}`, token)).toEqual({ range: "1h", series: [] });
  }
});
