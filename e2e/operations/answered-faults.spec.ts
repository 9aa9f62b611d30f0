import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { SECOND } from "@/lib/format/time";

// Whatever throws in server/, its client gets an answer. The console of these tests fails where a request tells it to
// (e2e/support/faulty-server.mjs).

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FORM = { "Content-Type": "multipart/form-data; boundary=x" };

/** By stage: a request whose answer fails there. */
const STAGES: Readonly<Record<string, { path: string; method?: string; headers?: Record<string, string> }>> = {
  gate: { path: "/api/v1/me" },
  door: { path: "/api/v1/me" },
  sending: { path: "/api/v1/me" },
  "page-gate": { path: "/sign-in" },
  forms: { path: "/sign-in", method: "POST", headers: FORM },
  kept: { path: "/" },
  admission: { path: "/sign-in" },
  next: { path: "/sign-in" },
  "page-sending": { path: "/sign-in" },
  expectation: { path: "/sign-in", headers: { Expect: "something" } },
};

let app: ConsoleServer;
let token: string;

test.beforeAll(async () => {
  app = await startConsole(String(process.env.DATABASE_URL), {}, { script: "e2e/support/faulty-server.mjs" });
  ({ token } = await newAccount());
});
test.afterAll(async () => app?.stop());

for (const [stage, { path, method = "GET", headers }] of Object.entries(STAGES)) {
  test(`when the stage "${stage}" throws, the client gets a 500 with the id that the log has, and the next request of the connection is answered`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (url: string, verb = "GET", further: Record<string, string> = {}) => {
      const sent = request(app.origin + url, {
        agent,
        method: verb,
        headers: { Authorization: `Bearer ${token}`, ...further },
      });
      sent.end(verb === "POST" ? "--x--\r\n" : undefined);
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      let text = "";
      for await (const chunk of answer) text += chunk;
      return { status: answer.statusCode, headers: answer.headers, text, isReused: sent.reusedSocket };
    };
    const before = app.output().length;
    for (let time = 0; time < 3; time++) {
      const failed = await ask(`${path}?fault-${stage}`, method, headers);
      expect(failed.status).toBe(500);
      expect(failed.isReused).toBe(time > 0);
      const id = String(failed.headers["x-request-id"]);
      expect(id).toMatch(ID);
      expect(failed.headers["cache-control"]).toBe("no-store");
      expect(failed.headers["x-half"]).toBeUndefined();
      if (path.startsWith("/api")) {
        expect(failed.headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(JSON.parse(failed.text)).toEqual({ error: "Internal error." });
      } else {
        expect(failed.headers["content-type"]).toBe("text/html; charset=utf-8");
        expect(failed.headers["content-security-policy"]).toContain("default-src 'none'");
        expect(failed.text).toContain("Something went wrong on our side");
        expect(failed.text).toContain(id);
        expect(failed.text).not.toContain("made to fail");
      }
      if (time === 0) await expect.poll(() => app.output().slice(before)).toContain(id);
      expect(await ask("/api/v1/me")).toMatchObject({ status: 200, isReused: true });
    }
    const lines = app.output().slice(before).split("\n");
    const told = lines.filter((line) => line.includes(`made to fail: ${stage}`));
    expect(told, "one line, however often it happens").toHaveLength(1);
    expect(JSON.parse(told[0] ?? "")).toMatchObject({ level: "error", event: "request failed", path, method });
    agent.destroy();
  });
}

/** By what fails: bytes after whose answer the connection ends. */
const ENDING: Readonly<Record<string, string>> = {
  bytes: "GET /api/?fault-bytes HTTP/9.9\r\n\r\n",
  upgrade: "GET /api/v1/me?fault-upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
};

for (const [stage, bytes] of Object.entries(ENDING)) {
  test(`when answering "${stage}" throws, the client gets a 500 with the id that the log has, behind the answers before it`, async () => {
    const { hostname, port } = new URL(app.origin);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${bytes}`);
    let text = "";
    for await (const chunk of socket) text += chunk;
    const [first, second] = text.match(/HTTP\/1\.1 \d+/g) ?? [];
    expect([first, second]).toEqual(["HTTP/1.1 200", "HTTP/1.1 500"]);
    const id = /X-Request-Id: (.*)\r\n/.exec(text)?.[1];
    expect(id).toMatch(ID);
    expect(text).toContain('{"error":"Internal error."}');
    await expect.poll(() => app.output()).toContain(String(id));
    expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
  });
}

test('when answering a body that never comes ("late") throws, the client gets a 500 with the id that the log has', {
  tag: "@waits",
}, async () => {
  const { hostname, port } = new URL(app.origin);
  const socket = connect(Number(port), hostname);
  const head = "POST /sign-in?fault-late HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n";
  socket.write(`${head}Content-Type: multipart/form-data; boundary=x\r\n\r\n`);
  // A connection that is silent is ended before. Not in the moment of the answer, whose end would be a reset then.
  const drops = setInterval(() => socket.write("x"), 4 * SECOND);
  let text = "";
  for await (const chunk of socket) {
    clearInterval(drops);
    text += chunk;
  }
  expect(text).toMatch(/^HTTP\/1\.1 500 /);
  const id = /X-Request-Id: (.*)\r\n/.exec(text)?.[1];
  expect(id).toMatch(ID);
  await expect.poll(() => app.output()).toContain(String(id));
});
