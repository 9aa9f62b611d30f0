import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount, newGameService, newReportingServer, newToken, type TestAccount } from "@/e2e/support/factories";
import { call, expect, test } from "@/e2e/support/fixtures";
import { db } from "@/lib/database/client";
import { DAY, SECOND } from "@/lib/format/time";

/** Four nodes report this often in a week. The answer then has 8 MB, more than a kernel's socket buffer holds. */
const NODES = 4;
const PER_NODE = 16_000;
const BATCH = 2_000;

test.describe("clients that do not read", () => {
  // One console for all.
  test.describe.configure({ mode: "serial" });

  let app: ConsoleServer;
  let owner: TestAccount;
  let serviceId: number;
  let path: string;
  const sockets: Socket[] = [];

  test.beforeAll(async () => {
    app = await startConsole(String(process.env.DATABASE_URL), { NODE_OPTIONS: "--max-old-space-size=256" });
    owner = await newAccount();
    const { id } = await newGameService(owner.id);
    serviceId = id;
    path = `/api/v1/game-services/${id}/metrics?range=7d`;
    for (let first = 1; first < PER_NODE; first += BATCH) {
      await db.$executeRaw`
        insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms)
        select ${id}, now() - make_interval(secs => ${(7 * DAY) / SECOND}::float8 * n / ${PER_NODE}), node, 123456,
          123456789, n, 42, 18.25
        from generate_series(${first}::int, ${Math.min(first + BATCH, PER_NODE) - 1}::int) n, generate_series(1, ${NODES}::int) node`;
    }
  });
  test.afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await app.stop();
  });

  /** Asks for the whole week and reads nothing but the first piece of the answer. */
  function askWithoutReading(token: string): Promise<string> {
    const { hostname, port } = new URL(app.origin);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      });
      sockets.push(socket);
      socket.once("data", (chunk) => {
        socket.pause();
        resolve(chunk.toString("latin1"));
      });
      socket.once("error", reject);
      socket.once("close", () => resolve(""));
    });
  }

  test("an account that reads nothing blocks only its own long answers", async () => {
    const other = await newAccount();
    await db.serviceGrant.create({ data: { serviceId, accountId: other.id } });
    const held = await Promise.all(Array.from({ length: 6 }, () => askWithoutReading(owner.token)));
    expect(held.filter((answer) => answer.startsWith("HTTP/1.1 503 ")).length).toBeGreaterThan(0);
    expect((await call("/api/v1/me", owner.token, { origin: app.origin })).status).toBe(200);
    for (let round = 0; round < 3; round++) {
      expect((await call(path, other.token, { origin: app.origin })).status).toBe(200);
    }
    for (const socket of sockets) socket.destroy();
    // A closed connection frees its place.
    await expect.poll(async () => (await call(path, owner.token, { origin: app.origin })).status).toBe(200);
  });

  test("a thousand idle or half-finished connections cost little memory, and others are answered", async () => {
    const { hostname, port } = new URL(app.origin);
    const other = await newAccount();
    const residentBefore = residentMegabytes(app.child.pid);
    const idle = await Promise.all(
      Array.from({ length: 1000 }, async (_, n) => {
        const socket = connect(Number(port), hostname).on("error", () => {});
        sockets.push(socket);
        await once(socket, "connect");
        if (n % 2) socket.write("GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAccept: ");
        return socket;
      }),
    );
    for (let request = 0; request < 20; request++) {
      expect((await call("/api/v1/me", other.token, { origin: app.origin })).status).toBe(200);
    }
    expect(idle.filter(({ readyState }) => readyState === "open")).toHaveLength(1000);
    expect(residentMegabytes(app.child.pid) - residentBefore).toBeLessThan(100);
    for (const socket of idle) socket.destroy();
  });

  test("clients leaving during a request or answer log no fault and free their room", async () => {
    const { hostname, port } = new URL(app.origin);
    const before = app.output();
    const leave = (bytes: string, afterMs: number) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(bytes);
          setTimeout(() => socket.resetAndDestroy(), afterMs);
        });
        socket.on("error", () => {}).on("close", () => resolve());
      });
    const auth = `Host: x\r\nAuthorization: Bearer ${await newToken(owner.id)}\r\n`;
    const half = "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{";
    const { key } = await newReportingServer(owner.id);
    for (const afterMs of [0, 1, 2, 4, 8, 16]) {
      await Promise.all([
        leave("GET /api/v1/servers HTTP/1.1\r\nHo", afterMs),
        leave(`GET /api/v1/servers HTTP/1.1\r\n${auth}\r\n`, afterMs),
        leave(`GET ${path} HTTP/1.1\r\n${auth}\r\n`, 10 * afterMs),
        leave(`POST /api/v1/me HTTP/1.1\r\n${auth}${half}`, afterMs),
        leave(`POST /ingest/v1/check-ins HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${half}`, afterMs),
      ]);
    }
    await expect
      .poll(async () => (await call(path, await newToken(owner.id), { origin: app.origin })).status)
      .toBe(200);
    expect(app.output().slice(before.length)).not.toMatch(/request failed|exception|rejection/i);
  });
});

/** The memory that a process really has; 0 where the system does not tell. */
function residentMegabytes(pid: number | undefined): number {
  const status = `/proc/${pid}/status`;
  return existsSync(status) ? Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, "utf8"))?.[1]) / 1024 : 0;
}
