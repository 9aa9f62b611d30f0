import { once } from "node:events";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { Agent, request } from "node:https";
import { startCaddy } from "@/e2e/support/caddy-server";
import { atArrival, startConsoleWithBundle } from "@/e2e/support/changed-bundle";
import type { ConsoleServer } from "@/e2e/support/console-server";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { startNginx } from "@/e2e/support/nginx-server";

// The proxies whose configurations are shipped, in front of two instances.

const PROXIES = {
  nginx: { host: "console.example.com", ask: () => needs("nginx", "openssl"), start: startNginx },
  Caddy: { host: "localhost", ask: () => needs("caddy"), start: startCaddy },
};

/** Requests of others, and how many of them run at once. */
const REQUESTS = 500;
const CLIENTS = 10;

/** Sends one request through a proxy, and answers its status. */
type Ask = (
  path: string,
  init?: { method?: string; headers?: Record<string, string>; body?: string },
) => Promise<number>;

for (const [name, { host, ask: askForPrograms, start }] of Object.entries(PROXIES)) {
  test.describe(name, () => {
    let instances: ConsoleServer[] = [];
    let proxy: Awaited<ReturnType<typeof start>> | undefined;
    let ask: Ask;
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

    test.beforeAll(async () => {
      askForPrograms();
      // Not a fault: a connection that ends without an answer, as when its process dies.
      const reset = 'if (request.url.includes("fault-reset")) request.socket.destroy();\n';
      const change = (text: string) => atArrival(text, reset);
      const url = String(process.env.DATABASE_URL);
      instances = await Promise.all([1, 2].map(() => startConsoleWithBundle(url, change, { TRUSTED_PROXIES: "1" })));
      const [first, second] = instances;
      proxy = await start([first?.port ?? 0, second?.port ?? 0]);
      const { port } = proxy;
      ask = async (path, { method = "GET", headers = {}, body } = {}) => {
        const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
        const sent = request({
          host: "127.0.0.1",
          servername: host,
          port,
          path,
          method,
          agent,
          headers: { Host: host, ...length, ...headers },
        });
        sent.end(body);
        const [answer] = (await once(sent, "response")) as [IncomingMessage];
        await once(answer.resume(), "end");
        return answer.statusCode ?? 0;
      };
      // Caddy makes its certificate first, and sends nothing to an instance that it has not looked at.
      await expect.poll(() => ask("/healthz").catch(String)).toBe(200);
    });
    test.afterAll(async () => {
      agent.destroy();
      await proxy?.stop();
      await Promise.all(instances.map((instance) => instance.stop()));
    });

    test(`beside clients whose requests are nested without end, and whose connections end without an answer, none of ${REQUESTS} requests of others fails`, async () => {
      const { id, token } = await newAccount();
      const { key } = await newReportingServer(id);
      const nested = () =>
        ask("/sign-in", {
          method: "POST",
          headers: {
            Origin: `https://${host}`,
            "Content-Type": "text/plain;charset=UTF-8",
            "Next-Action": "0".repeat(40),
          },
          body: "[".repeat(7991) + "]".repeat(7991),
        });
      const reset = (method: string) => ask("/healthz?fault-reset", { method }).catch(() => 0);
      let isOver = false;
      const attacks: number[][] = [[], [], []];
      const attackers = [nested, () => reset("GET"), () => reset("POST")].map(async (attack, index) => {
        while (!isOver) attacks[index]?.push(await attack());
      });
      const bearer = (credentials: string) => ({ Authorization: `Bearer ${credentials}` });
      const others: (() => Promise<number>)[] = [
        () => ask("/healthz"),
        () => ask("/readyz"),
        () => ask("/docs/api.md"),
        () => ask("/sign-in"),
        () => ask("/openapi.json"),
      ];
      const failures: string[] = [];
      const statuses: number[] = [];
      const clients = Array.from({ length: CLIENTS }, async () => {
        while (statuses.length < REQUESTS) {
          const at = statuses.push(0) - 1;
          const send =
            at % 20 === 0
              ? () => ask("/api/v1/me", { headers: bearer(token) })
              : at % 20 === 10
                ? () =>
                    ask("/ingest/v1/check-ins", {
                      method: "POST",
                      headers: { ...bearer(key), "Content-Type": "application/json" },
                      body: "{}",
                    })
                : (others[at % others.length] as (typeof others)[number]);
          const status = await send().catch(String);
          if (status !== 200) failures.push(`request ${at}: ${status}`);
        }
      });
      await Promise.all(clients);
      isOver = true;
      await Promise.all(attackers);
      expect(failures, proxy?.errors()).toEqual([]);
      expect(statuses).toHaveLength(REQUESTS);
      const [refused = [], ...unanswered] = attacks;
      expect(new Set(refused)).toEqual(new Set([400]));
      expect(refused.length).toBeGreaterThan(10);
      for (const statuses of unanswered) expect(new Set(statuses)).toEqual(new Set([502]));
    });

    test("plain HTTP is refused with 403 where machines send their keys, and a page is redirected", async () => {
      const plain = async (path: string, method = "GET") => {
        const sent = plainRequest({
          host: "127.0.0.1",
          port: proxy?.plainPort,
          path,
          method,
          headers: { Host: host },
        });
        sent.end();
        const [answer] = (await once(sent, "response")) as [IncomingMessage];
        await once(answer.resume(), "end");
        return { status: answer.statusCode, location: answer.headers.location };
      };
      for (const path of [
        "/api/v1/me",
        "/api/",
        "/api",
        "//api/v1/me",
        "/ingest/v1/check-ins",
        "/mcp",
        "/metrics",
        "/%61pi/v1/me",
      ]) {
        for (const method of ["GET", "POST"]) {
          expect(await plain(path, method), `${method} ${path}`).toEqual({ status: 403, location: undefined });
        }
      }
      for (const path of ["/", "/sign-in?next=%2Fdashboard", "/docs/api", "/apiary", "/metrics-of-mine"]) {
        expect(await plain(path)).toEqual({ status: 308, location: `https://${host}${path}` });
      }
    });
  });
}
