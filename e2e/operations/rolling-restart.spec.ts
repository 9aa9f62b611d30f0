import { once } from "node:events";
import { Agent } from "node:https";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { bodyOfForm } from "@/e2e/support/html-form";
import { needs } from "@/e2e/support/needs";
import { askThrough, startNginx } from "@/e2e/support/nginx-server";
import { type RedisServer, startRedis } from "@/e2e/support/redis-server";
import { SECOND } from "@/lib/format/time";

const HOST = "console.example.com";
/** Clients that ask at once, each on a connection to nginx of its own. Every other one reports. */
const CLIENTS = 40;
/** How many of them send a form, which nginx does not send again when an instance fails. */
const FORMS = 2;
/** Milliseconds between two requests of a client. The pause of reports keeps far below the limit of a key. */
const PAUSES = { POST: 250, GET: 60 };

test("restarting one instance after the other behind nginx fails no request, POSTs included", {
  tag: "@waits",
}, async () => {
  needs("nginx", "openssl", "redis-server");
  const redis = await startRedis();
  const ports = [await freePort(), await freePort()] as const;
  const [first, second] = await Promise.all([startInstance(ports[0], redis), startInstance(ports[1], redis)]);
  const instances = [first, second];
  const nginx = await startNginx(ports);
  const load = await startLoad(nginx, await signInForm(first));
  try {
    await load.proceed();
    for (const [index, port] of ports.entries()) {
      await instances[index]?.stop();
      expect(await instances[index]?.exited).toBe("exit code 0");
      await load.proceed();
      instances[index] = await startInstance(port, redis);
      await load.proceed();
    }
    expect(load.failures, nginx.errors()).toEqual([]);
  } finally {
    await load.stop();
    await nginx.stop();
    await Promise.all(instances.map((instance) => instance.stop("SIGINT")));
    await redis.stop();
  }
});

test("after SIGTERM /readyz is 503 and every answer ends its connection", async () => {
  const app = await startConsole(String(process.env.DATABASE_URL), { DRAIN_DELAY: "300" });
  expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);
  const ended = once(app.child, "exit");
  app.child.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${app.origin}/readyz`)).status).toBe(503);
  for (const path of ["/healthz", "/api/v1/me", "/sign-in", "/no-such-page", "/favicon.svg"]) {
    const answer = await fetch(app.origin + path);
    await answer.arrayBuffer();
    expect(answer.headers.get("connection"), path).toBe("close");
  }
  app.child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

/** A console on a port, ready, with the time that proxies need to notice its end. */
const startInstance = (port: number, redis: RedisServer) =>
  startConsole(String(process.env.DATABASE_URL), {
    PORT: String(port),
    TRUSTED_PROXIES: "1",
    DRAIN_DELAY: "",
    REDIS_URL: redis.url,
  });

/** The form to sign in, with a password that nobody has. */
async function signInForm({ origin }: ConsoleServer) {
  const html = await (await fetch(`${origin}/sign-in`)).text();
  return bodyOfForm(html, "Sign in", { email: "nobody@example.com", password: "wrong password" });
}

/** Sends reads, check-ins and forms at a steady pace. Collects every answer other than 200. */
async function startLoad(nginx: Awaited<ReturnType<typeof startNginx>>, form: Awaited<ReturnType<typeof signInForm>>) {
  const failures: string[] = [];
  const answered = Array<number>(CLIENTS).fill(0);
  let isOver = false;
  const { id, token } = await newAccount();
  const keys: string[] = [];
  for (let client = 0; client < CLIENTS; client++) keys.push((await newReportingServer(id)).key);
  const run = async (client: number) => {
    const key = keys[client];
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      // nginx counts forms by ip.
      localAddress: client < FORMS ? `127.0.1.${1 + client}` : "127.0.0.1",
    });
    const headersOf = (credentials: string | undefined, type = "application/json") => ({
      Origin: `https://${HOST}`,
      "Content-Type": type,
      ...(credentials && { Authorization: `Bearer ${credentials}` }),
    });
    for (let sent = 0; !isOver; sent++) {
      const [method, path, headers, body]: ["GET" | "POST", string, Record<string, string>, (string | Buffer)?] =
        client < FORMS
          ? ["POST", "/sign-in", headersOf(undefined, form.type), form.body]
          : client % 2 === 0
            ? ["POST", "/ingest/v1/check-ins", headersOf(key), "{}"]
            : ["GET", sent % 200 === 0 ? "/api/v1/me" : "/healthz", headersOf(token)];
      const asked = askThrough(nginx.port, HOST, path, { method, headers, body, agent });
      const status = await asked.then(({ status }) => status, String);
      if (status !== 200) failures.push(`${new Date().toISOString()} ${method} ${path}: ${status}`);
      answered[client] = sent + 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSES[method]));
    }
    agent.destroy();
  };
  const clients = answered.map((_, client) => run(client));
  return {
    failures,
    /** Waits until every client got further answers. */
    async proceed() {
      const before = [...answered];
      await expect
        .poll(() => Math.min(...answered.map((count, client) => count - (before[client] ?? 0))))
        .toBeGreaterThan(SECOND / PAUSES.POST);
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}
