import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { call, expect, test } from "@/e2e/support/fixtures";
import { hasRedis, type RedisServer, startRedis } from "@/e2e/support/redis-server";

test.describe("two workers behind one port", () => {
  // One console for all of them: two workers are two processes.
  test.describe.configure({ mode: "serial" });
  test.skip(!hasRedis(), "no redis-server is installed on this machine");

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

  /** Each request on a connection of its own, so that the workers take turns. */
  const me = (token: string) => call("/api/v1/me", token, { origin: app.origin, headers: { Connection: "close" } });

  test("let exactly 120 of 200 requests of one token through, many at once", async () => {
    const { token } = await newAccount();
    const statuses: number[] = [];
    // Not all of them at once: two workers over an embedded database, which has one session, would wait for each other.
    const lane = async () => {
      for (let sent = 0; sent < 20; sent++) statuses.push((await me(token)).status);
    };
    await Promise.all(Array.from({ length: 10 }, lane));
    expect(statuses.filter((status) => status === 200)).toHaveLength(120);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
  });

  test("one that is killed is replaced and logged while the other one answers, and SIGTERM ends them all", async () => {
    const { token } = await newAccount();
    const workers = await workersOf(app);
    expect(workers).toHaveLength(2);
    process.kill(Number(workers[0]), "SIGKILL");
    await expect.poll(() => app.output()).toContain(`process ${workers[0]}: SIGKILL`);
    expect((await me(token)).status).toBe(200);
    await expect.poll(async () => (await workersOf(app)).length).toBe(2);
    await expect.poll(async () => (await fetch(`${app.origin}/readyz`)).status).toBe(200);
    const exit = new Promise<number | null>((resolve) => app.child.once("exit", resolve));
    const all = await workersOf(app);
    app.child.kill("SIGTERM");
    expect(await exit).toBe(0);
    for (const pid of all) expect(() => process.kill(Number(pid), 0)).toThrow();
  });
});

/** The processes that the server started. */
async function workersOf(app: ConsoleServer): Promise<string[]> {
  const { stdout } = await promisify(execFile)("pgrep", ["-P", String(app.child.pid)]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter(Boolean);
}
