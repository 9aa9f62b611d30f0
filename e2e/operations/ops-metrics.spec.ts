import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { listeningPorts } from "@/e2e/support/listening-ports";
import { needs } from "@/e2e/support/needs";
import { checkMetrics } from "@/e2e/support/prometheus-server";
import { startRedis } from "@/e2e/support/redis-server";

test("/ops/metrics tells of an instance on a port of its own: routes and statuses, admission, limit, pool and process, summed over its workers", {
  tag: "@one-engine",
}, async () => {
  needs("promtool", "redis-server");
  const redis = await startRedis();
  const workers = redis ? 2 : 1;
  const opsPort = await freePort();
  const variables = { OPS_PORT: String(opsPort), ...(redis && { REDIS_URL: redis.url }) };
  const app = await startConsole(String(process.env.DATABASE_URL), variables, workers);
  const read = async () => (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();
  try {
    const { token } = await newAccount();
    // Each on a connection of its own, so that both workers get some.
    const get = (path: string) =>
      fetch(app.origin + path, { headers: { Authorization: `Bearer ${token}`, Connection: "close" } });
    for (let n = 0; n < 20; n++) expect((await get("/api/v1/me")).status).toBe(200);
    expect((await get("/api/v1/servers/2147483647")).status).toBe(404);
    expect((await get("/api/v1/no-such-path-7f3a")).status).toBe(404);
    expect((await get("/no-such-page-7f3a")).status).toBe(404);

    await expect.poll(read).toContain('console_http_requests_total{route="/api/v1/me",status="200"} 20\n');
    // Of the database, once an instance has swept it.
    await expect.poll(read).toContain("console_sweep_finished_timestamp_seconds ");
    const text = await read();
    expect(text).toContain('console_http_requests_total{route="/api/v1/servers/[id]",status="404"} 1\n');
    expect(text).toContain('console_http_request_duration_seconds_count{route="/api/v1/me",status="200"} 20\n');
    expect(text).toContain('console_limit_decisions_total{policy="api",decision="accepted"} 22\n');
    expect(text).toMatch(/^console_admission_total\{kind="request",outcome="at_once"\} [1-9]$/m);
    expect(text).toContain('console_admission_waiting{kind="request"} 0\n');
    expect(text).toMatch(/^console_database_connections\{state="idle"\} \d+$/m);
    expect(text).toMatch(/^console_event_loop_delay_seconds\{percentile="99"\} [\d.e-]+$/m);
    expect(text).toMatch(/^console_roll_up_lag_seconds \d+$/m);
    expect(text).toContain(`console_workers ${workers}\n`);
    if (redis) expect(text).toContain("console_limit_store_down 0\n");
    // What the alerts and the board ask for is there; whether the store is down only where there is one.
    for (const asked of ["prometheus/operations-rules.yml", "grafana/operations.json"]) {
      const names = readFileSync(`public/recipes/${asked}`, "utf8").match(/console_[a-z_]+/g) ?? [];
      expect(names.length).toBeGreaterThan(5);
      const known = names.filter((name) => redis || name !== "console_limit_store_down");
      for (const name of known) expect(text, asked).toMatch(new RegExp(`^${name}(?:\\{.*\\})? `, "m"));
    }
    const otherIps = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of otherIps) {
      await expect(fetch(`http://${address}:${opsPort}/ops/metrics`), "loopback alone").rejects.toThrow();
    }
    expect(text, "no path that a client made up").not.toContain("7f3a");
    expect(checkMetrics(text)).toBe("");

    expect((await get("/ops/metrics")).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${opsPort}/api/v1/me`)).status).toBe(404);
  } finally {
    await app.stop();
    await redis.stop();
  }
});

test("the operator's port is at OPS_HOST alone", { tag: "@one-engine" }, async () => {
  // Linux has all of 127.0.0.0/8 on its loopback.
  const [opsPort, host] = [await freePort(), "127.0.0.2"];
  const app = await startConsole(String(process.env.DATABASE_URL), { OPS_PORT: String(opsPort), OPS_HOST: host });
  try {
    expect((await fetch(`http://${host}:${opsPort}/ops/metrics`)).status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).rejects.toThrow("fetch failed");
  } finally {
    await app.stop();
  }
});

test("without OPS_PORT there is no operator's port: the console listens on its own alone, and answers /ops/metrics with 404", {
  tag: "@one-engine",
}, async () => {
  const app = await startConsole(String(process.env.DATABASE_URL));
  try {
    expect((await fetch(`${app.origin}/ops/metrics`)).status).toBe(404);
    expect(listeningPorts(app.child.pid ?? 0)).toEqual([app.port]);
  } finally {
    await app.stop();
  }
});

test("promtool accepts the alerts on /ops/metrics", { tag: "@one-engine" }, () => {
  needs("promtool");
  const file = "public/recipes/prometheus/operations-rules.yml";
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
});
