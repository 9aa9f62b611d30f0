import { connect } from "node:net";
import { expect, test } from "vitest";
import { AGENT_PATHS, CHECK_INS } from "@/e2e/support/agent-protocols";
import { newAccount, newGameService, newReportingServer, newToken } from "@/e2e/support/factories";
import { call, origin, readLog } from "@/e2e/support/over-http";
import { CLOSE, HOST, send, statusesOf } from "@/e2e/support/raw";
import { db } from "@/lib/database/client";

// Requests of HTTP that are odd, as bytes, and whose answers are whole: JSON where machines ask, else a page.

for (const { what, head, status, error } of [
  { what: "an absolute URL of another host", head: `GET http://elsewhere.example{path} HTTP/1.1\r\n${HOST}` },
  { what: "no Host", head: "GET {path} HTTP/1.1\r\n" },
  { what: "two Hosts", head: `GET {path} HTTP/1.1\r\n${HOST}Host: elsewhere.example\r\n` },
  { what: "a Host that is two", head: "GET {path} HTTP/1.1\r\nHost: console.example, elsewhere.example\r\n" },
  {
    what: "an unknown expectation",
    head: `GET {path} HTTP/1.1\r\n${HOST}Expect: foo\r\n`,
    status: 417,
    error: "Expectation Failed.",
  },
  {
    what: "more headers than any client sends",
    head: `GET {path} HTTP/1.1\r\n${HOST}${"a: b\r\n".repeat(1500)}`,
    status: 431,
    error: "Request Header Fields Too Large.",
  },
  {
    what: "two ways to say how long the body is",
    head: `POST {path} HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`,
  },
  { what: "an unknown method", head: `FOO {path} HTTP/1.1\r\n${HOST}` },
  { what: "a broken header line", head: `GET {path} HTTP/1.1\r\n${HOST}no header\r\n` },
].map((row) => ({ status: 400, error: "Bad Request.", ...row }))) {
  test(`${what} is ${status}: JSON under /api and /ingest, a plain page elsewhere`, async () => {
    for (const path of ["/api/v1/me", "/api/v1", "/ingest/check-ins"]) {
      const answer = await send(`${head.replace("{path}", path)}${CLOSE}\r\n`);
      expect(statusesOf(answer), path).toEqual([status]);
      expect(answer).toMatch(/^content-type: application\/json; charset=utf-8\r$/im);
      expect(answer).toMatch(/^cache-control: no-store\r$/im);
      expect(answer.split("\r\n\r\n")[1]).toBe(JSON.stringify({ error }));
    }
    for (const path of ["/", "/sign-in", "/apiary"]) {
      const answer = await send(`${head.replace("{path}", path)}${CLOSE}\r\n`);
      expect(statusesOf(answer), path).toEqual([status]);
      expect(answer).toMatch(/^content-type: text\/html; charset=utf-8\r$/im);
      expect(answer).toMatch(/^content-security-policy: default-src 'none'; /im);
      expect(answer).toContain("<h1>");
      expect(answer).not.toContain("elsewhere.example");
    }
  });
}

test("what the server refuses under OTLP is a google.rpc.Status in the request's encoding", async () => {
  const types = { protobuf: "application/x-protobuf", json: "application/json" };
  for (const path of ["/ingest/otlp/v1/metrics", "/ingest/otlp/v1/traces"]) {
    for (const { headers, status, text } of [
      { headers: "Expect: foo\r\n", status: 417, text: "Expectation Failed." },
      { headers: "a: b\r\n".repeat(1500), status: 431, text: "Request Header Fields Too Large." },
      { headers: "Host: elsewhere.example\r\n", status: 400, text: "Bad Request." },
      { headers: "no header\r\n", status: 400, text: "Bad Request." },
    ]) {
      const ask = (type: string) =>
        send(`POST ${path} HTTP/1.1\r\n${HOST}Content-Type: ${type}\r\n${headers}Content-Length: 0\r\n${CLOSE}\r\n`);
      const packed = await ask(types.protobuf);
      expect(statusesOf(packed), headers).toEqual([status]);
      expect(packed).toMatch(/^content-type: application\/x-protobuf\r$/im);
      const length = String.fromCharCode(text.length);
      expect(packed.split("\r\n\r\n")[1]).toBe(`\u0008\u0003\u0012${length}${text}`);
      const plain = await ask(types.json);
      expect(plain).toMatch(/^content-type: application\/json; charset=utf-8\r$/im);
      expect(plain.split("\r\n\r\n")[1]).toBe(JSON.stringify({ error: text, code: 3, message: text }));
    }
  }
});

test("an absolute URL never becomes a redirect, whatever stands in it", async () => {
  for (const target of ["http://elsewhere.example//x", "https://elsewhere.example/sign-in", "//elsewhere.example/x"]) {
    const answer = await send(`GET ${target} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    expect(answer).not.toMatch(/^location: *(?:https?:)?\/\//im);
  }
});

test("CONNECT and TRACE are 405 on the API and elsewhere", async () => {
  expect(statusesOf(await send(`CONNECT elsewhere.example:443 HTTP/1.1\r\n${HOST}\r\n`))).toEqual([405]);
  for (const path of ["/", "/sign-in", "/dashboard"]) {
    const answer = await send(`TRACE ${path} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    expect(statusesOf(answer)).toEqual([405]);
    expect(answer).toContain("<h1>");
  }
  const { token } = await newAccount();
  const refused = await send(`TRACE /api/v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n${CLOSE}\r\n`);
  expect(statusesOf(refused)).toEqual([405]);
  expect(refused).toMatch(/^allow: GET, HEAD, OPTIONS\r$/im);
  expect(refused).toContain("Method not allowed. This API is read-only; use GET.");
});

test("HTTP/1.0 without a Host is answered", async () => {
  expect(await send("GET /api/v1/me HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 401 /);
});

test("rubbish behind a request is answered after it, and never in its place", async () => {
  const { token, id } = await newAccount();
  const request = `GET /api/v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n\r\n`;
  const answer = await send(`${request}${request}rubbish\r\n\r\n`);
  expect(statusesOf(answer)).toEqual([200, 200, 400]);
  expect(answer.split(`"id":${id}`)).toHaveLength(3);
});

test("a path that leads up never reaches the API under another name", async () => {
  const { token } = await newAccount();
  for (const path of ["/x/../api/v1/me", "/./api/v1/me", "/x/%2E%2e/api/v1/me", "/x\\..\\api/v1/me", "/sign-in/.."]) {
    const answer = await send(`GET ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n${CLOSE}\r\n`);
    expect(statusesOf(answer), path).toEqual([404]);
    expect(answer).toMatch(/^content-type: text\/html; charset=utf-8\r$/im);
  }
});

test("no spelling of a path of the API is looked at before its token", async () => {
  for (const path of ["/./me", "/servers/..", "/servers\\1", "/[[...path]]", "/servers/1%2Fbenchmarks"]) {
    const answer = await send(`GET /api/v1${path} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    expect(statusesOf(answer), path).toEqual([401]);
    expect(answer).toMatch(/^content-type: application\/json/im);
  }
});

test("a path that cannot be decoded is a 404 page, never a 500", async () => {
  for (const path of ["/%", "/dashboard/servers/%ff", "/dashboard/servers/1%zz", "/dashboard/game-services/%E0%A4%A"]) {
    const answer = await send(`GET ${path} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    expect(statusesOf(answer), path).toEqual([404]);
    expect(answer).toMatch(/^content-type: text\/html; charset=utf-8\r$/im);
    expect(answer).toMatch(/^content-security-policy: default-src 'none'/im);
    expect(answer).toMatch(/^cache-control: no-store\r$/im);
  }
});

test("a request is answered at once on every method, without waiting for its body", async () => {
  const { token } = await newAccount();
  for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]) {
    for (const length of ["Content-Length: 1000000", "Transfer-Encoding: chunked"]) {
      const answer = await send(
        `${method} /api/v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n${length}\r\n${CLOSE}\r\n`,
      );
      expect(statusesOf(answer), `${method} ${length}`).toEqual([
        method === "OPTIONS" ? 204 : method === "GET" || method === "HEAD" ? 200 : 405,
      ]);
    }
  }
});

test("a client that expects 100-continue gets the answer without sending its body", async () => {
  const { token } = await newAccount();
  const answer = await send(
    `POST /api/v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nContent-Length: 5\r\n` +
      `Expect: 100-continue\r\n${CLOSE}\r\n`,
  );
  expect(statusesOf(answer)).toEqual([405]);
});

// Ten seconds and more pass until then, which nothing shortens.
test("a large body that never ends is answered 408 and frees its place", async () => {
  const { key } = await newReportingServer();
  const [bytes, path] = [1024 * 1024, AGENT_PATHS.influx];
  const head = `POST ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\nContent-Type: text/plain\r\n`;
  const held = Array.from({ length: 4 }, () =>
    send(`${head}Content-Length: ${bytes}\r\n\r\n${"#".repeat(bytes - 10)}`),
  );
  for (const answer of await Promise.all(held)) expect(statusesOf(answer)).toEqual([408]);
  const whole = `${head}Content-Length: ${bytes}\r\n${CLOSE}\r\n${"#".repeat(bytes)}`;
  // An account that nobody else has asked beside for a second has eight places, not four.
  expect((await call("/api/v1/servers", (await newAccount()).token)).status).toBe(200);
  expect(statusesOf(await send(whole))).toEqual([204]);
});

test("clients leaving during a request or answer log no fault and free their room", async () => {
  const before = readLog().length;
  const { id: accountId } = await newAccount();
  const [{ id: serviceId }, { key }] = [await newGameService(accountId), await newReportingServer(accountId)];
  // Four nodes, often: the answer has more than a kernel's socket buffer holds.
  await db.$executeRaw`
    insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms)
    select ${serviceId}, now() - make_interval(secs => 30 * n), node, 123456, 123456789, n, 42, 18.25
    from generate_series(1, 16000) n, generate_series(1, 4) node`;
  const leave = (bytes: string, afterMs: number) =>
    new Promise<void>((resolve) => {
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname, () => {
        socket.write(bytes);
        setTimeout(() => socket.resetAndDestroy(), afterMs);
      });
      socket.on("error", () => {}).on("close", () => resolve());
    });
  const path = `/api/v1/game-services/${serviceId}/metrics?range=7d`;
  const auth = `${HOST}Authorization: Bearer ${await newToken(accountId)}\r\n`;
  const half = "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{";
  for (const afterMs of [0, 1, 2, 4, 8, 16]) {
    await Promise.all([
      leave("GET /api/v1/servers HTTP/1.1\r\nHo", afterMs),
      leave(`GET /api/v1/servers HTTP/1.1\r\n${auth}\r\n`, afterMs),
      leave(`GET ${path} HTTP/1.1\r\n${auth}\r\n`, 10 * afterMs),
      leave(`POST /api/v1/me HTTP/1.1\r\n${auth}${half}`, afterMs),
      leave(`POST ${CHECK_INS} HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n${half}`, afterMs),
    ]);
  }
  await expect.poll(async () => (await call(path, await newToken(accountId))).status).toBe(200);
  // Other tests ask the same console meanwhile.
  const own: (string | undefined)[] = [path.split("?")[0], CHECK_INS, "/api/v1/servers", "/api/v1/me", undefined];
  const lines = readLog().slice(before).split("\n");
  const ours = lines.filter((line) => own.includes(/"path":"([^"]*)"/.exec(line)?.[1]));
  expect(ours.join("\n")).not.toMatch(/request failed|exception|rejection/i);
});
