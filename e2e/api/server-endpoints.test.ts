import { expect, test } from "vitest";
import { call, getData } from "@/e2e/support/ask";
import { newAccount, newBenchmarkRun, newOwnedServer, newServer, putSample } from "@/e2e/support/factories";
import { recordCheckIn, sendSample } from "@/e2e/support/record-check-in";
import type { ServerDetail } from "@/lib/api/schemas";
import { db, Prisma } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { listFleet, listServerReadings } from "@/lib/servers/servers";

test("GET /me answers the account that owns the token, four fields", async () => {
  const { id, name, email, token } = await newAccount("support");
  expect(await getData("/api/v1/me", token)).toEqual({ id, name, email, role: "support" });
});

test("GET /servers lists the account's servers by id, with exactly the seven fields", async () => {
  const { id: accountId, token } = await newAccount();
  const stranger = await newAccount();
  await newServer(stranger.id);
  const names = { label: "Berlin 1", hostname: "b1.example.net" };
  const otherNames = { label: "Berlin 2", hostname: "b2.example.net" };
  const first = await newServer(accountId, { ...names, publicIp: "192.0.2.10" });
  const second = await newServer(accountId, otherNames);
  const createdAt = new Date(Date.now() - HOUR);
  await db.server.update({ where: { id: second.id }, data: { createdAt } });
  const seenAt = new Date(Date.now() - 10 * SECOND);
  await db.server.update({ where: { id: first.id }, data: { lastSeenAt: seenAt } });

  expect(await getData("/api/v1/servers", token)).toEqual({
    servers: [
      { ...first, ...names, online: true, score: 550, last_seen: seenAt.getTime(), public_ip: "192.0.2.10" },
      { ...second, ...otherNames, online: false, score: 500, last_seen: createdAt.getTime(), public_ip: null },
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
  const names = { label: "Paris", hostname: "p.example.net" };
  const { id } = await newServer(accountId, { ...names, createdAt, firstSeenAt: createdAt, lastSeenAt: createdAt });
  const at = new Date();
  const facts = { os: "Debian 12", kernel: "6.1.0-18", cores: 4, arch: "x86_64" };
  const used = { cpuPct: 12.5, load5: 0.25, memUsedMb: 1640.25, memTotalMb: 4000, diskUsedPct: 91, netLossPct: 0 };
  const sample = { ...used, uptimeS: 86_400, oomKills: 0, failedUnits: 0 };
  await recordCheckIn(id, { facts, publicIp: "203.0.113.5", sample }, at);
  const server = await getData<ServerDetail>(`/api/v1/servers/${id}`, token);
  // Of the minutes before its first check-in none was seen.
  expect(server).toEqual({
    id,
    ...names,
    online: true,
    public_ip: "203.0.113.5",
    last_seen: at.getTime(),
    score: 720,
    created_at: createdAt.getTime(),
    facts,
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

test("the score counts and explains the day's restarts, killed processes and failed units", async () => {
  const { token, id } = await newOwnedServer({ createdAt: new Date(Date.now() - 3 * MINUTE) });
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

test("list and detail have the same score, and weights reproduce it from the components", async () => {
  const { token, id } = await newOwnedServer({ createdAt: new Date(Date.now() - DAY) });
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

test("a sample from before scores were stored counts less with its age, everywhere alike", async () => {
  const { accountId, token, id } = await newOwnedServer({ lastSeenAt: new Date(Date.now() - DAY) });
  await putSample(id, new Date(Date.now() - DAY), { cpuPct: 1 });
  // As an earlier migration left them.
  const data = { cpu: null, memory: null, disk: null, network: null, stability: null, ratedBy: Prisma.DbNull };
  await db.server.update({ where: { id }, data });
  const { servers } = await getData<{ servers: { score: number }[] }>("/api/v1/servers", token);
  const detail = await getData<ServerDetail>(`/api/v1/servers/${id}`, token);
  const [[shown], [reading]] = await Promise.all([listFleet(accountId), listServerReadings(accountId)]);
  const scores = [servers[0], detail, shown, reading].map((one) => one?.score);
  expect(scores).toEqual([75, 75, 75, 75]);
  expect(detail).toMatchObject({ latest_sample: { cpu_pct: 1 }, score_components: { cpu: 0, stability: 500 } });
  expect(detail.score_notes[0]).toMatch(/^CPU: measured 1 day ago \(counts fully for 2 minutes\); costs 200 points\.$/);
});

test("latest_sample is null when no sample has arrived, and the latest of several otherwise", async () => {
  const { token, id } = await newOwnedServer();
  const { facts, latest_sample } = await getData<ServerDetail>(`/api/v1/servers/${id}`, token);
  expect({ facts, latest_sample }).toEqual({ facts: {}, latest_sample: null });
  const begin = Date.now() - HOUR;
  for (const minutes of [3, 1, 2]) {
    await sendSample(id, begin + minutes * MINUTE, { cpuPct: minutes, memUsedMb: 100 * minutes });
  }
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
    latest_sample: { ts: begin + 3 * MINUTE, cpu_pct: 3, mem_used_mb: 300 },
  });
});

test("a measurement that was not made is left out of latest_sample, never null", async () => {
  const { token, id } = await newOwnedServer();
  const ts = new Date(Date.now() - MINUTE);
  await putSample(id, ts, { memUsedMb: 512 });
  const server = await getData<{ latest_sample: unknown }>(`/api/v1/servers/${id}`, token);
  expect(server.latest_sample).toEqual({ ts: ts.getTime(), mem_used_mb: 512 });
});

test("GET /servers/:id/benchmarks lists finished runs only, newest first, nulls where nothing was measured", async () => {
  const { token, id: serverId } = await newOwnedServer();
  const finishedAt = new Date(Date.now() - DAY);
  const secrets = { log: "SECRET-LOG-MARKER", agentTokenHash: "SECRET-AGENT-MARKER" };
  await newBenchmarkRun(serverId, { status: "pending", finishedAt: null, ...secrets });
  await newBenchmarkRun(serverId, { status: "running", finishedAt: null, ...secrets });
  const older = await newBenchmarkRun(serverId, { label: "first", finishedAt, cpu: 0, total: null, ...secrets });
  const sameTime = await newBenchmarkRun(serverId, { label: "tie", finishedAt, ...secrets });
  const scores = { cpu: 81, disk: 64, network: 100, stability: 90, total: 79 };
  const later = { finishedAt: new Date(finishedAt.getTime() + HOUR), verified: true };
  const newest = await newBenchmarkRun(serverId, { label: "second", ...later, ...scores, ...secrets });
  const noScores = { cpu: null, disk: null, network: null, stability: null, total: null };
  const done = { status: "done", verified: false, finished_at: finishedAt.getTime() };
  const { text, json } = await call(`/api/v1/servers/${serverId}/benchmarks`, token);
  expect(json).toEqual({
    data: {
      benchmarks: [
        { ...newest, label: "second", ...done, scores, verified: true, finished_at: finishedAt.getTime() + HOUR },
        { ...sameTime, label: "tie", ...done, scores: noScores },
        { ...older, label: "first", ...done, scores: { ...noScores, cpu: 0 } },
      ],
    },
  });
  expect(text).not.toContain("MARKER");
});

test("GET /servers/:id/benchmarks of a server without finished runs is an empty list", async () => {
  const { token, id } = await newOwnedServer();
  await newBenchmarkRun(id, { status: "running", finishedAt: null });
  expect(await getData(`/api/v1/servers/${id}/benchmarks`, token)).toEqual({ benchmarks: [] });
});
