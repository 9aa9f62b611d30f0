import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { atExit } from "@/e2e/support/at-exit";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { needs } from "@/e2e/support/needs";
import { type NginxServer, startNginx } from "@/e2e/support/nginx-server";
import { type RedisServer, startRedis } from "@/e2e/support/redis-server";
import { SECOND } from "@/lib/format/time";
import { DIST_DIRS } from "@/scripts/build";

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
  const instances = await Promise.all(ports.map((port) => startInstance(port, redis)));
  const nginx = await startNginx(ports);
  const load = await startLoad(nginx, await signInForm(ports[0]));
  try {
    await load.proceed();
    for (const [index, port] of ports.entries()) {
      const ended = once(instances[index] as ChildProcess, "exit");
      instances[index]?.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      await load.proceed();
      instances[index] = await startInstance(port, redis);
      await load.proceed();
    }
    expect(load.failures, nginx.errors()).toEqual([]);
  } finally {
    await load.stop();
    await nginx.stop();
    for (const instance of instances) {
      const ended = once(instance, "exit");
      instance.kill("SIGINT");
      await ended;
    }
    await redis?.stop();
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

/** A console on a port, ready. */
async function startInstance(port: number, redis: RedisServer | null): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["server/start.mjs"], {
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      PORT: String(port),
      CONSOLE_DIST_DIR: DIST_DIRS.test,
      TRUSTED_PROXIES: "1",
      DRAIN_DELAY: "",
      REDIS_URL: redis?.url ?? "",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  atExit(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output).toContain('"event":"listening"');
  return child;
}

type Form = { body: Buffer; type: string };

/** The form to sign in as a browser without scripts sends it, with a password that nobody has. */
async function signInForm(port: number): Promise<Form> {
  const form = new FormData();
  const html = await (await fetch(`http://127.0.0.1:${port}/sign-in`)).text();
  const typed = Object.entries({ email: "nobody@example.com", password: "wrong password" });
  for (const [name, value] of [...fieldsOfForm(html, "Sign in"), ...typed]) form.set(name, value);
  const written = new Response(form);
  return { body: Buffer.from(await written.arrayBuffer()), type: written.headers.get("content-type") ?? "" };
}

/** Sends reads, check-ins and forms at a steady pace. Collects every answer other than 200. */
async function startLoad(nginx: NginxServer, form: Form) {
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
      rejectUnauthorized: false,
      // nginx counts forms by ip.
      localAddress: client < FORMS ? `127.0.1.${1 + client}` : "127.0.0.1",
    });
    for (let sent = 0; !isOver; sent++) {
      const request: LoadRequest =
        client < FORMS
          ? { method: "POST", path: "/sign-in", token: undefined, ...form }
          : client % 2 === 0
            ? { method: "POST", path: "/ingest/v1/check-ins", token: key, body: "{}" }
            : { method: "GET", path: sent % 200 === 0 ? "/api/v1/me" : "/healthz", token, body: "" };
      const status = await ask(nginx.port, agent, request).catch(String);
      if (status !== 200) failures.push(`${new Date().toISOString()} ${request.method} ${request.path}: ${status}`);
      answered[client] = sent + 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSES[request.method]));
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

type LoadRequest = {
  method: "GET" | "POST";
  path: string;
  token: string | undefined;
  body: string | Buffer;
  /** JSON by default. */
  type?: string;
};

async function ask(
  port: number,
  agent: Agent,
  { method, path, token, body, type = "application/json" }: LoadRequest,
): Promise<number | undefined> {
  const headers = {
    Host: "console.example.com",
    Origin: "https://console.example.com",
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(body && { "Content-Type": type, "Content-Length": Buffer.byteLength(body) }),
  };
  const sent = request({ host: "127.0.0.1", port, method, path, agent, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  await once(answer.resume(), "end");
  return answer.statusCode;
}
