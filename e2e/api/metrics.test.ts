import { expect, test } from "vitest";
import { ask, getData, spend } from "@/e2e/support/ask";
import { bearer, type WholeAnswer } from "@/e2e/support/calls";
import { newAccount, newGameService, newServer, putSample, type TestAccount } from "@/e2e/support/factories";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { db } from "@/lib/database/client";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

test("one scrape is the whole account in base units and counts as one request", async () => {
  const account = await newAccount();
  const { serverId, silentId, serviceId, failedId } = await fill(account);
  const stranger = await newAccount();
  const foreign = await fill(stranger);
  const response = await scrape(account.token);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-ratelimit-remaining")).toBe(String(API_REQUESTS.limit - 1));
  const { text } = response;
  expect(text).not.toContain("_total");

  const values = valuesOf(text);
  type Detail = { last_seen: number; score_components: Record<string, number>; latest_sample: { ts: number } };
  const server = await getData<Detail & { score: number }>(`/api/v1/servers/${serverId}`, account.token);
  const own = `server_id="${serverId}"`;
  expect(
    values.get(
      `console_server_info{${own},label="A \\"b\\" \\\\ c",hostname="a.example.net",public_ip="192.0.2.9",checked_in="true",tags=",a\\"b,db,"}`,
    ),
  ).toBe(1);
  // The score moves with time; within seconds of each other they are close.
  expect(Math.abs((values.get(`console_server_score{${own}}`) ?? 0) - server.score)).toBeLessThan(50);
  expect(values.get(`console_server_online{${own}}`)).toBe(1);
  expect(values.get(`console_server_last_seen_timestamp_seconds{${own}}`)).toBe(server.last_seen / SECOND);
  expect(values.get(`console_server_sample_timestamp_seconds{${own}}`)).toBe(server.latest_sample.ts / SECOND);
  for (const [name, value] of Object.entries(SAMPLE_METRICS)) {
    expect(values.get(`console_server_${name}{${own}}`), name).toBe(value);
  }
  for (const component of Object.keys(server.score_components)) {
    expect(values.has(`console_server_score_component{${own},component="${component}"}`), component).toBe(true);
  }
  // Its score lacks what was not reported. A server that never checked in needs nothing, and can be left out.
  expect(values.get(`console_server_needs_attention{${own}}`)).toBe(1);
  expect(values.get(`console_server_needs_attention{server_id="${silentId}"}`)).toBe(0);
  expect(text).toMatch(new RegExp(`console_server_info\\{server_id="${silentId}".*,checked_in="false"\\} 1`));
  // Missing measurements have no sample.
  expect(values.get(`console_server_online{server_id="${silentId}"}`)).toBe(0);
  expect(values.has(`console_server_cpu_usage_ratio{server_id="${silentId}"}`)).toBe(false);

  const service = `service_id="${serviceId}"`;
  expect(values.get(`console_game_service_status{${service},status="active"}`)).toBe(1);
  expect(values.get(`console_game_service_status{${service},status="failed"}`)).toBe(0);
  expect(values.get(`console_game_service_interval_packets{${service},node_id="1"}`)).toBe(20);
  expect(values.get(`console_game_service_interval_bytes{${service},node_id="1"}`)).toBe(2000);
  expect(values.get(`console_game_service_interval_dropped_packets{${service},node_id="2"}`)).toBe(3);
  expect(values.get(`console_game_service_interval_latency_seconds{${service},node_id="2"}`)).toBe(0.0125);
  expect(values.has(`console_game_service_interval_latency_seconds{${service},node_id="1"}`)).toBe(false);
  expect(values.get(`console_game_service_status{service_id="${failedId}",status="failed"}`)).toBe(1);
  expect(text).not.toContain(`interval_packets{service_id="${failedId}"`);
  expect(text).not.toContain(`server_id="${foreign.serverId}"`);
  expect(text).not.toContain(`service_id="${foreign.serviceId}"`);
});

test("a scrape has owned and granted services, and not those staff may only view", async () => {
  const [owner, staff] = [await newAccount(), await newAccount("support")];
  const granted = await newGameService(owner.id);
  const supported = await newGameService(owner.id, { supportAccess: true });
  await db.serviceGrant.create({ data: { serviceId: granted.id, accountId: staff.id } });
  expect(await getData(`/api/v1/game-services/${supported.id}`, staff.token)).toMatchObject({ id: supported.id });
  const { services } = await getData<{ services: { id: number }[] }>("/api/v1/game-services", staff.token);
  const { text } = await scrape(staff.token);
  const listed = [...text.matchAll(/^console_game_service_info\{service_id="(\d+)"/gm)].map(([, id]) => Number(id));
  expect(listed).toEqual(services.map(({ id }) => id));
  expect(listed).toEqual([granted.id]);
});

test("refused scrapes are 401, 405 or 429 with a line of plain text", async () => {
  const { token } = await newAccount();
  const expectLine = async (response: WholeAnswer, status: number, line: string | RegExp) => {
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(response.text).toMatch(line);
  };
  const missing = await scrape(null);
  expect(missing.headers.get("www-authenticate")).toBe('Bearer realm="console-api"');
  await expectLine(missing, 401, /^Missing access token\. Send "Authorization: Bearer <token>"\.\n$/);
  await expectLine(await scrape(token, "POST"), 405, /^Method not allowed\. .*\n$/);
  expect((await scrape(token, "HEAD")).text).toBe("");
  // An account without servers and services has no samples.
  expect((await scrape(token)).text).toBe("");
  // Prometheus and the API draw on one quota.
  await spend(token, 117);
  const refused = await scrape(token);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await expectLine(refused, 429, /^Rate limit exceeded\. Retry in \d+ seconds?\.\n$/);
});

const scrape = (token: string | null, method = "GET") => ask("/metrics", { method, headers: bearer(token) });

/** Each sample by its name and labels. */
function valuesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** A server that reported, one that never did, and a service that two edge nodes reported of. */
const SAMPLE = {
  ...{ cpuPct: 12.5, cpuStealPct: 25, cpuIowaitPct: 50, load5: 1.5, memUsedMb: 512, memTotalMb: 1024, swapUsedPct: 75 },
  ...{ diskUsedPct: 62.5, netLossPct: 3.125, netRetransmitPct: 6.25, uptimeS: 3600, oomKills: 2, failedUnits: 1 },
};

/** The families of the sample, in base units. */
const SAMPLE_METRICS = {
  cpu_usage_ratio: 0.125,
  cpu_steal_ratio: 0.25,
  cpu_iowait_ratio: 0.5,
  load5: 1.5,
  memory_used_bytes: 512 * 2 ** 20,
  memory_size_bytes: 1024 * 2 ** 20,
  swap_used_ratio: 0.75,
  disk_used_ratio: 0.625,
  network_loss_ratio: 0.03125,
  network_retransmit_ratio: 0.0625,
  uptime_seconds: 3600,
  oom_kills: 2,
  failed_units: 1,
};

async function fill({ id: accountId }: TestAccount) {
  const now = Date.now();
  const [seenAt, createdAt] = [new Date(now - 10 * SECOND), new Date(now - DAY)];
  const names = { label: 'A "b" \\ c', hostname: "a.example.net", publicIp: "192.0.2.9", tags: ['a"b', "db"] };
  const { id: serverId } = await newServer(accountId, { ...names, createdAt, lastSeenAt: seenAt });
  await putSample(serverId, seenAt, { ...SAMPLE });
  const { id: silentId } = await newServer(accountId, { createdAt, lastSeenAt: createdAt });
  const { id: serviceId } = await newGameService(accountId, { status: "active" });
  const { id: failedId } = await newGameService(accountId, { status: "failed", error: "edge-1: no such name" });
  const interval = (age: number, nodeId: number, latencyMs: number | null, factor: number) => ({
    serviceId,
    ...{ ts: now - age, nodeId, latencyMs },
    ...{ packets: 10 * factor, bytes: 1000 * factor, dropped: 3, connections: 1 },
  });
  await recordIntervals([
    interval(3 * MINUTE, 1, 9, 1),
    interval(2 * MINUTE, 1, null, 2),
    interval(2 * MINUTE, 2, 12.5, 1),
  ]);
  return { serverId, silentId, serviceId, failedId };
}
