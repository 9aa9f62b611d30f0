import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Agent, type ClientRequest, request } from "node:http";
import { childrenOf } from "@/e2e/support/child-processes";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { call, expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { type RedisServer, startRedis } from "@/e2e/support/redis-server";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { GAVE_UP } from "@/server/exit-codes.mjs";

const CONNECTIONS = 8;
/** The kernel gives a connection to the faster worker. With this many connections both workers get some. */
const ENOUGH_CONNECTIONS = 80;

test.describe("two workers behind one port", () => {
  // One console for all of them: two workers are two processes.
  test.describe.configure({ mode: "serial" });
  needs("redis-server");

  let redis: RedisServer;
  let app: ConsoleServer;

  test.beforeAll(async () => {
    redis = await startRedis();
    app = await startConsole(String(process.env.DATABASE_URL), { REDIS_URL: redis.url }, 2);
  });
  test.afterAll(async () => {
    await app.stop();
    await redis.stop();
  });

  test(`let exactly ${API_REQUESTS.limit} of 200 requests of one token through, many at once`, async () => {
    const { token } = await newAccount();
    // Each request on a connection of its own, so that the workers take turns.
    const init = { origin: app.origin, headers: { Connection: "close" } };
    const statuses: number[] = [];
    // Not all of them at once: two workers over an embedded database, which has one session, would wait for each other.
    const lane = async () => {
      for (let sent = 0; sent < 20; sent++) statuses.push((await call("/api/v1/me", token, init)).status);
    };
    await Promise.all(Array.from({ length: 10 }, lane));
    expect(statuses.filter((status) => status === 200)).toHaveLength(API_REQUESTS.limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - API_REQUESTS.limit);
  });

  test("one that is killed under load is replaced and logged, and no request of the other one's connections fails", async () => {
    const [killed = 0, ...others] = workersOf(app);
    expect(others).toHaveLength(1);
    const lanes: ReturnType<typeof startLane>[] = [];
    const lanesOf = (pid: number) => {
      const ports = clientPortsOf(pid, app.port);
      return lanes.filter((lane) => ports.has(lane.port));
    };
    do {
      expect(lanes.length).toBeLessThan(ENOUGH_CONNECTIONS);
      lanes.push(...Array.from({ length: CONNECTIONS }, () => startLane(app.origin)));
      await expect.poll(() => Math.min(...lanes.map((lane) => lane.answered))).toBeGreaterThan(5);
    } while ([killed, ...others].some((pid) => lanesOf(pid).length === 0));
    const own = lanesOf(killed);
    // The worker is paused before it is killed. The other worker serves new connections.
    process.kill(killed, "SIGSTOP");
    const connecting = Array.from({ length: CONNECTIONS }, () =>
      fetch(`${app.origin}/healthz`, { headers: { Connection: "close" } }),
    );
    expect((await Promise.all(connecting)).map(({ status }) => status)).toEqual(Array(CONNECTIONS).fill(200));
    process.kill(killed, "SIGKILL");
    await expect.poll(() => app.output()).toContain(`"worker died","detail":"process ${killed}: SIGKILL"`);
    await expect.poll(() => own.every((lane) => lane.failure !== null)).toBe(true);
    await expect.poll(async () => workersOf(app).length).toBe(2);
    const before = lanes.map((lane) => lane.answered);
    const spared = lanes.filter((lane) => !own.includes(lane));
    await expect.poll(() => spared.every((lane) => lane.answered > (before[lanes.indexOf(lane)] ?? 0) + 20)).toBe(true);
    for (const lane of spared) expect(lane.failure).toBeNull();
    await Promise.all(lanes.map((lane) => lane.stop()));
    // The new one takes its turn, once it is ready.
    const fresh = workersOf(app).find((pid) => !others.includes(pid)) ?? 0;
    const reachesFresh = async () => {
      const tried = Array.from({ length: CONNECTIONS }, () => startLane(app.origin));
      await expect.poll(() => Math.min(...tried.map((lane) => lane.answered))).toBeGreaterThan(0);
      const ports = clientPortsOf(fresh, app.port);
      await Promise.all(tried.map((lane) => lane.stop()));
      return tried.some((lane) => ports.has(lane.port));
    };
    await expect.poll(reachesFresh).toBe(true);
    for (const path of ["/healthz", "/readyz"]) {
      for (let times = 0; times < 4; times++) {
        expect((await fetch(app.origin + path, { headers: { Connection: "close" } })).status).toBe(200);
      }
    }
  });

  test("at SIGTERM, and at more signals after it, each finishes what it has begun, and new connections are refused", async () => {
    const { id } = await newAccount();
    const workers = workersOf(app);
    const reports: ClientRequest[] = [];
    const held = () => workers.filter((pid) => clientPortsOf(pid, app.port).size > 0).length;
    while (held() < 2) {
      expect(reports.length).toBeLessThan(ENOUGH_CONNECTIONS);
      const { key } = await newReportingServer(id);
      reports.push(await beginCheckIn(app.origin, key));
    }
    const exit = once(app.child, "exit");
    for (const signal of ["SIGTERM", "SIGTERM", "SIGHUP", "SIGINT"] as const) app.child.kill(signal);
    await expect.poll(() => fetch(`${app.origin}/healthz`).then(Boolean, () => "refused")).toBe("refused");
    const answers = reports.map((report) => once(report, "response"));
    for (const report of reports) report.end("}");
    for (const [answer] of await Promise.all(answers)) expect(answer.resume().statusCode).toBe(200);
    expect(await exit).toEqual([0, null]);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow();
  });

  test("the server ends with its workers also when the channel of one closes only after it is gone", async () => {
    // As the kernel may do it: a program that the worker leaves behind holds its end for some seconds more.
    const leave = `import cluster from "node:cluster"; import { spawn } from "node:child_process";
      if (cluster.isWorker) spawn("sleep", ["5"], { stdio: ["ignore", "ignore", "ignore", process.channel.fd], detached: true }).unref();`;
    const held = `--import data:text/javascript;base64,${Buffer.from(leave).toString("base64")}`;
    const variables = { REDIS_URL: redis.url, NODE_OPTIONS: held };
    const left = await startConsole(String(process.env.DATABASE_URL), variables, 2);
    const ended = once(left.child, "exit");
    left.child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("five workers that die within a minute end the server with a code that says so, and a line", async () => {
    const doomed = await startConsole("postgresql://postgres@127.0.0.1:1/none", { REDIS_URL: redis.url }, 2);
    const ended = once(doomed.child, "exit");
    for (let died = 1; died <= 5; died++) {
      const [worker = 0] = workersOf(doomed);
      process.kill(worker, "SIGKILL");
      await expect.poll(() => doomed.output().match(/"worker died"/g)?.length).toBe(died);
    }
    expect(await ended).toEqual([GAVE_UP, null]);
    expect(doomed.output()).toContain("too many workers died");
  });
});

/** The processes that the server started. */
const workersOf = (app: ConsoleServer) => childrenOf(app.child.pid);

/** The ports of the clients whose connections to `port` a process holds. */
function clientPortsOf(pid: number, port: number): Set<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      } catch {
        // Closed meanwhile.
        return undefined;
      }
    }),
  );
  const rows = readFileSync(`/proc/${pid}/net/tcp`, "utf8").trim().split("\n").slice(1);
  const connections = rows.map((row) => row.trim().split(/\s+/));
  const hexPort = (place = "") => Number.parseInt(place.split(":")[1] ?? "", 16);
  return new Set(
    connections
      .filter(([, local, , , , , , , , inode]) => hexPort(local) === port && inodes.has(inode))
      .map(([, , remote]) => hexPort(remote))
      .filter((remote) => remote > 0),
  );
}

/** Asks on one connection for as long as it lasts, without a pause. */
function startLane(origin: string) {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const lane = { answered: 0, port: 0, failure: null as Error | null, stop };
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const sent = request({ hostname, port, path: "/api/v1/me", agent }).end();
      const [answer] = await once(sent, "response");
      lane.port = answer.socket.localPort;
      await once(answer.resume(), "end");
      lane.answered++;
    }
  };
  const running = run().catch((error: Error) => {
    lane.failure = error;
  });
  async function stop() {
    isOver = true;
    await running;
    agent.destroy();
  }
  return lane;
}

/** A check-in that has reached its worker, and whose body lacks its last character. */
async function beginCheckIn(origin: string, key: string): Promise<ClientRequest> {
  const { hostname, port } = new URL(origin);
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    "Content-Length": 2,
    // The server sends 100 Continue once a handler reads the body.
    Expect: "100-continue",
  };
  const report = request({ hostname, port, path: "/ingest/v1/check-ins", method: "POST", headers, agent: false });
  report.flushHeaders();
  await once(report, "continue");
  report.write("{");
  return report;
}
