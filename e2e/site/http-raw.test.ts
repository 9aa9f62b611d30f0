import { expect, test } from "vitest";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { CLOSE, HOST, send, statusesOf } from "@/e2e/support/raw";
import { db } from "@/lib/database/client";
import { mintToken } from "@/lib/tokens/format";

// What no fetch sends: requests as bytes, and what the server answers to them.

const PATH = "/ingest/v1/check-ins";

test("no byte of a body follows the headers of HEAD", async () => {
  const { token } = await newAccount();
  for (const path of ["/api/v1/me", "/api/v1/nope", "/metrics", "/openapi.json"]) {
    const answer = await send(
      `HEAD ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\nAccept-Encoding: gzip\r\n${CLOSE}\r\n`,
    );
    expect(statusesOf(answer), path).toHaveLength(1);
    expect(answer.slice(answer.indexOf("\r\n\r\n") + 4), path).toBe("");
  }
});

for (const [what, request] of [
  ["no HTTP at all", "hello\r\n\r\n"],
  [
    "a body in a coding besides chunks",
    "POST /ingest/v1/check-ins HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  ],
  [
    "a body in chunks of HTTP/1.0",
    "POST /ingest/v1/check-ins HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
] as const) {
  test(`${what} is 400, as JSON with no-store`, async () => {
    const answer = await send(request);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/cache-control: no-store/i);
    expect(answer).toContain('{"error":"Bad Request."}');
  });
}

test("headers that are called like what every object has change nothing", async () => {
  const { token } = await newAccount();
  const odd = "constructor: 1\r\nconstructor: 2\r\n__proto__: 1\r\ntoString: 1\r\n";
  const answer = await send(`GET /api/v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${token}\r\n${odd}${CLOSE}\r\n`);
  expect(statusesOf(answer)).toEqual([200]);
});

test("two Authorization headers are 401 and never the first one alone", async () => {
  const { token } = await newAccount();
  const request = [
    "GET /api/v1/me HTTP/1.1",
    "Host: console.example",
    `Authorization: Bearer ${token}`,
    `Authorization: Bearer ${mintToken()}`,
    "Connection: close",
  ];
  expect(statusesOf(await send(`${request.join("\r\n")}\r\n\r\n`))).toEqual([401]);
});

test("a NUL or line break inside a header is refused as JSON", async () => {
  const { token } = await newAccount();
  for (const spoiled of [`${token}\0`, `${token.slice(0, 9)}\r${token.slice(9)}`]) {
    const request = `GET /api/v1/me HTTP/1.1\r\nHost: console.example\r\nAuthorization: Bearer ${spoiled}\r\n\r\n`;
    expect(statusesOf(await send(request))).toEqual([400]);
  }
});

test("requests pipelined before and behind one that offers an upgrade are answered", async () => {
  const { token, id } = await newAccount();
  const line = (path: string, more: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
  const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
  const answer = await send(
    line("/api/v1/servers", "") +
      line("/api/v1/nope", offer) +
      line("/api/v1/servers/0", offer) +
      line("/api/v1/me", "Connection: close\r\n"),
  );
  expect(statusesOf(answer)).toEqual([200, 404, 404, 200]);
  expect(answer).toContain(`"id":${id}`);
});

test("a body beyond 16 KB is refused before it is read, announced or not", async () => {
  const { id, key } = await newReportingServer((await newAccount()).id);
  const statuses = async (length: string, rest: string) => {
    const head = `POST ${PATH} HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    return statusesOf(await send(`${head}${CLOSE}${length}\r\n\r\n${rest}`));
  };
  // Neither body ends.
  expect(await statuses(`Content-Length: ${10 * 1024 * 1024}`, "{")).toEqual([413]);
  const chunk = `1000\r\n${" ".repeat(4096)}\r\n`;
  expect(await statuses("Transfer-Encoding: chunked", chunk.repeat(5))).toEqual([413]);
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(0);
});

test("a hundred requests ahead of answers are served; more cut the connection", async () => {
  const request = (more = "") => `GET /api/v1/me HTTP/1.1\r\n${HOST}${more}\r\n`;
  expect(statusesOf(await send(request().repeat(99) + request(CLOSE)))).toEqual(new Array(100).fill(401));
  expect(statusesOf(await send(request().repeat(300))).length).toBeLessThan(300);
});
