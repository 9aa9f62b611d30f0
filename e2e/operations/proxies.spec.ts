import { Agent } from "node:https";
import { startCaddy } from "@/e2e/support/caddy-server";
import { atArrival, startConsoleWithBundle } from "@/e2e/support/changed-bundle";
import type { ConsoleServer } from "@/e2e/support/console-server";
import { newAccount, newReportingServer, PASSWORD } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { bodyOfForm } from "@/e2e/support/html-form";
import { needs } from "@/e2e/support/needs";
import { askThrough, startNginx } from "@/e2e/support/nginx-server";

// The proxies whose configurations are shipped, in front of two instances.

const PROXIES = {
  nginx: { host: "console.example.com", ask: () => needs("nginx", "openssl"), start: startNginx },
  Caddy: { host: "localhost", ask: () => needs("caddy"), start: startCaddy },
};

/** Requests of others, and how many of them run at once. */
const REQUESTS = 120;
const CLIENTS = 10;

/** Sends one request through a proxy, from an ip of this machine. */
type Ask = (
  path: string,
  init?: { method?: string; headers?: Record<string, string>; body?: string; from?: string },
) => ReturnType<typeof askThrough>;

// Both proxies stand in front of the same instances.
test.describe.configure({ mode: "default" });
let instances: ConsoleServer[] = [];
test.beforeAll(async () => {
  // Not a fault: a connection that ends without an answer, as when its process dies.
  const reset = 'if (request.url.includes("fault-reset")) request.socket.destroy();\n';
  const change = (text: string) => atArrival(text, reset);
  const url = String(process.env.DATABASE_URL);
  instances = await Promise.all([1, 2].map(() => startConsoleWithBundle(url, change, { TRUSTED_PROXIES: "1" })));
});
test.afterAll(() => Promise.all(instances.map((instance) => instance.stop())));

for (const [name, { host, ask: askForPrograms, start }] of Object.entries(PROXIES)) {
  test.describe(name, () => {
    let proxy: Awaited<ReturnType<typeof start>> | undefined;
    let ask: Ask;
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });

    test.beforeAll(async () => {
      askForPrograms();
      proxy = await start(instances.map(({ port }) => port));
      const { port } = proxy;
      ask = (path, { from = "127.0.0.1", ...init } = {}) =>
        askThrough(port, host, path, { agent, localAddress: from, ...init });
      // Of Caddy's server of plain HTTP, which has no certificate on purpose, and of what only tests set.
      const warned = /\[warn\]|"level":"warn"(?!.*(?:no automatic HTTPS|admin endpoint disabled|stapling OCSP))/;
      expect(proxy.errors()).not.toMatch(warned);
      // Caddy makes its certificate first, and sends nothing to an instance that it has not looked at.
      await expect.poll(() => ask("/healthz").then(({ status }) => status, String)).toBe(200);
    });
    test.afterAll(async () => {
      agent.destroy();
      await proxy?.stop();
    });

    test("the proxy's own refusals on machine paths are JSON that nobody caches", async () => {
      // Caddy hands on what it reads, and the console refuses by itself. Asked before anything resets a connection, which a
      // proxy may use once more: such a body cannot be sent again.
      const large = await ask("/ingest/v1/check-ins", { method: "POST", body: "x".repeat(5_000_000) });
      expect(large.status).toBe(name === "nginx" ? 413 : 401);
      const refused = [
        await ask("/api/v1/me?fault-reset"),
        await ask("/ingest/v1/check-ins?fault-reset", { method: "POST", body: "{}" }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([502, 502]);
      if (name === "nginx") refused.push(large);
      for (const { headers, body } of refused) {
        expect(headers).toMatchObject({
          "content-type": "application/json",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "access-control-allow-origin": "*",
        });
        expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/^[A-Z][A-Za-z ]+\.$/) });
      }
      const page = await ask("/dashboard?fault-reset");
      expect([page.status, page.headers["retry-after"], page.headers["cache-control"]]).toEqual([502, "5", "no-store"]);
      expect(page.headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(page.body.trim()).toBe("The console does not answer. Try again in a few seconds.");
    });

    test(`clients with endlessly nested or broken requests make none of ${REQUESTS} others fail`, async () => {
      // Each ip may send few forms: an attacker has many.
      let forms = 0;
      const nested = () =>
        ask("/sign-in", {
          from: `127.0.2.${1 + (Math.floor(forms++ / 20) % 250)}`,
          method: "POST",
          headers: {
            Origin: `https://${host}`,
            "Content-Type": "text/plain;charset=UTF-8",
            "Next-Action": "0".repeat(40),
          },
          body: "[".repeat(7991) + "]".repeat(7991),
        });
      const reset = (method: string) => ask("/healthz?fault-reset", { method }).catch(() => ({ status: 0 }));
      let isOver = false;
      const attacks: number[][] = [[], [], []];
      const attackers = [nested, () => reset("GET"), () => reset("POST")].map(async (attack, index) => {
        while (!isOver) attacks[index]?.push((await attack()).status);
      });
      const failures: string[] = [];
      let asked = 0;
      const clients = Array.from({ length: CLIENTS }, async () => {
        const { key } = await newReportingServer();
        const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
        // No proxy sends a POST again, so each shows what befell it. Nested ones may be slower to come.
        while (asked++ < REQUESTS || Number(attacks[0]?.length) <= 10) {
          const answer = ask("/ingest/v1/check-ins", { method: "POST", headers, body: "{}" });
          const status = await answer.then(({ status }) => status, String);
          if (status !== 200) failures.push(`request ${asked}: ${status}`);
        }
      });
      await Promise.all(clients);
      isOver = true;
      await Promise.all(attackers);
      expect(failures, proxy?.errors()).toEqual([]);
      const [refused = [], ...unanswered] = attacks;
      expect(new Set(refused)).toEqual(new Set([400]));
      expect(refused.length).toBeGreaterThan(10);
      for (const statuses of unanswered) expect(new Set(statuses)).toEqual(new Set([502]));
    });

    if (name === "nginx") {
      test("pages and forms are limited for each ip, and machines are not counted", async () => {
        const answersOf = (count: number, path: string, from: string, method = "GET") =>
          Promise.all(Array.from({ length: count }, () => ask(path, { from, method })));
        const statusesOf = async (...asked: Parameters<typeof answersOf>) =>
          new Set((await answersOf(...asked)).map(({ status }) => status));
        expect(await statusesOf(1000, "/favicon.svg", "127.0.3.1")).toEqual(new Set([200, 429]));
        const limited = (await answersOf(100, "/sign-in", "127.0.3.2", "POST")).find(({ status }) => status === 429);
        expect(limited?.headers).toMatchObject({ "retry-after": "5", "cache-control": "no-store" });
        expect(limited?.body).toBe("Too many requests. Try again in a few seconds.\n");
        expect(await statusesOf(30, "/sign-in", "127.0.3.3")).toEqual(new Set([200]));
        expect(await statusesOf(1000, "/api/v1/me", "127.0.3.1")).toEqual(new Set([401]));
      });
    }

    test("a person signs in at any proxy port, even without Sec-Fetch-Site", async () => {
      const port = proxy?.port ?? 0;
      const signedIn = await signInThrough(port, host);
      expect(signedIn.status, signedIn.body).toBe(303);
      const foreign = await signInThrough(port, host, { Origin: "https://elsewhere.example" });
      expect(foreign.status).toBe(403);
      expect(foreign.body).toContain(
        `It was sent from https://elsewhere.example, and the console is at https://${host}:${port}`,
      );
    });

    test("plain HTTP is 403 on machine paths and redirected on pages", async () => {
      const plain = async (path: string, method = "GET") => {
        const { status, headers } = await askThrough(proxy?.plainPort ?? 0, host, path, { protocol: "http:", method });
        return { status, location: headers.location };
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

/** Signs in a new account through a proxy on this port, as a browser does. `more`: further headers of the form. */
async function signInThrough(port: number, host: string, more: Record<string, string> = {}) {
  const { email } = await newAccount();
  // An ip that nothing else asks from.
  const from = { localAddress: "127.0.3.4" };
  const own = { Host: `${host}:${port}` };
  const page = await askThrough(port, host, "/sign-in", { ...from, headers: own });
  const { body, type } = await bodyOfForm(page.body, "Sign in", { email, password: PASSWORD });
  const headers = { ...own, Origin: `https://${host}:${port}`, "Content-Type": type, ...more };
  return askThrough(port, host, "/sign-in", { ...from, method: "POST", headers, body });
}
