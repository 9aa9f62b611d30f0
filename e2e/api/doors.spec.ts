import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import type { ConsoleServer } from "@/e2e/support/console-server";
import { newAccount, newGameService, newServer, newToken } from "@/e2e/support/factories";
import { ENDPOINT_PATHS, expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { expectNoFrameworkHeaderToMatter } from "@/e2e/support/framework-headers";
import { startNextAlone } from "@/e2e/support/next-alone";
import { startConsoleWithoutDirectDoor } from "@/e2e/support/next-door";
import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/time";
import { mintToken } from "@/lib/tokens/format";

// The server calls route handlers itself; on hosting platforms, and for a build that does not look as expected, Next's
// router does. A client must not be able to tell the two apart.

const CLOSED = "direct door closed";

/** What differs from answer to answer through one and the same door, and what is between a server and its next hop. */
const VARYING = new Set([
  "date",
  "x-request-id",
  "ratelimit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "connection",
  "keep-alive",
  "transfer-encoding",
]);

let nextDoor: ConsoleServer;

test.beforeAll(async () => {
  nextDoor = await startConsoleWithoutDirectDoor(String(process.env.DATABASE_URL), { TRUSTED_PROXIES: "1" });
});
test.afterAll(() => nextDoor.stop());

type Sent = { path: string; method?: string; headers?: Record<string, string | string[]>; body?: string };

/** One whole answer, as far as a client could tell it from another one. */
function send(origin: string, { path, method = "GET", headers = {}, body }: Sent) {
  const { hostname, port } = new URL(origin);
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const bytes = Buffer.concat(chunks);
          resolve({
            status: answer.statusCode,
            headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !VARYING.has(name))),
            text: (answer.headers["content-encoding"] === "gzip" && bytes.length > 0
              ? gunzipSync(bytes)
              : bytes
            ).toString(),
          });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

async function expectEqualThroughBoth(requests: Sent[]): Promise<void> {
  for (const sent of requests) {
    const [direct, routed] = [await send(sharedOrigin(), sent), await send(nextDoor.origin, sent)];
    expect(direct, `${sent.method ?? "GET"} ${sent.path.slice(0, 80)} ${JSON.stringify(sent.headers)}`).toEqual(routed);
  }
}

test("a build that lists a handler it does not have is served by Next's router, and one log line says so", async () => {
  await expect.poll(() => nextDoor.output().split(CLOSED)).toHaveLength(2);
  const { token, id } = await newAccount();
  const answer = await send(nextDoor.origin, { path: "/api/v1/me", headers: { Authorization: `Bearer ${token}` } });
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining(`"id":${id}`) });
});

test("no header that the framework knows changes an answer of the API where the direct door is closed", async () => {
  await expectNoFrameworkHeaderToMatter(nextDoor.origin);
});

test("nor where Next alone serves the build: what carries one is asked for its token, and counted", async () => {
  const alone = await startNextAlone(String(process.env.DATABASE_URL));
  try {
    await expectNoFrameworkHeaderToMatter(alone.origin);
    const { token, id } = await newAccount();
    for (const [header, left] of [
      ["X-Middleware-Prefetch", "119"],
      ["RSC", "118"],
    ] as const) {
      const headers = { Authorization: `Bearer ${token}`, [header]: "1" };
      const answer = await fetch(`${alone.origin}/api/v1/me`, { headers, redirect: "manual" });
      expect([answer.status, answer.headers.get("x-ratelimit-remaining")], header).toEqual([200, left]);
      expect(await answer.json()).toMatchObject({ data: { id } });
    }
    // It opens nothing else either.
    const forged = { method: "POST", headers: { "X-Middleware-Prefetch": "1" }, body: new FormData() };
    expect((await fetch(`${alone.origin}/sign-in`, forged)).status).toBe(403);
  } finally {
    await alone.stop();
  }
});

test("every endpoint and every refusal is the same whole answer through both doors", async () => {
  const { id: accountId, token } = await newAccount();
  const { id: serverId } = await newServer(accountId);
  const { id: serviceId } = await newGameService(accountId);
  const authorized = { Authorization: `Bearer ${token}` };
  const own = ENDPOINT_PATHS.map((path) =>
    path.replace("servers/1", `servers/${serverId}`).replace("services/1", `services/${serviceId}`),
  );
  const paths = [
    ...own,
    ...ENDPOINT_PATHS.filter((path) => path.includes("/1")),
    `/api/v1/game-services/${serviceId}/metrics?range=7d`,
    `/api/v1/game-services/${serviceId}/metrics?range=2h`,
    `/api/v1/game-services/${serviceId}/metrics?range=1h&range=1h`,
    `/api/v1/game-services/${serviceId}/metrics?range=%00`,
    `/api/v1/me?${"x=1&".repeat(3000)}`,
  ];
  await expectEqualThroughBoth(paths.flatMap((path) => [{ path, headers: authorized }, { path }]));
});

test("every method is the same whole answer through both doors, also with a body", async () => {
  const headers = { Authorization: `Bearer ${await newToken((await newAccount()).id)}` };
  const body = "x".repeat(100_000);
  await expectEqualThroughBoth(
    ["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "TRACE", "QUERY"].flatMap((method) =>
      ["/api/v1/me", "/api/v1/servers/1", "/api/v1/nope", "/api/v1"].flatMap((path) => [
        { path, method, headers },
        { path, method },
        ...(method === "HEAD" || method === "OPTIONS" || method === "TRACE" ? [] : [{ path, method, headers, body }]),
      ]),
    ),
  );
});

test("every spelling of a path is the same whole answer through both doors", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId);
  const encoded = [...String(id)].map((digit) => `%3${digit}`).join("");
  const paths = [
    "/api/v1",
    "/api/v1/",
    "/api/v1/nope",
    "/api/v1/ME",
    "/api/v1/me/",
    "/api/v1/me/more",
    "//api/v1/me",
    "/api//v1///me",
    "/api/v1/me//",
    "/api/v1/me%00",
    "/api/v1/%6d%65",
    "/api/v1/%E0%A4%A",
    "/api/v1/%",
    "/api/v1/servers/%zz",
    "/api/v1/%ff/benchmarks",
    `/api/v1/servers/${encoded}`,
    `/api/v1/servers/${id}/`,
    `/api/v1/servers/${id}%2Fbenchmarks`,
    `/api/v1/servers%2F${id}`,
    `/api/v1/servers/0${id}`,
    `/api/v1/servers/${id}?`,
    "/api/v1/servers/[id]",
    "/api/v1/[[...path]]",
    "/api/v1/servers/..",
    "/api/v1/./me",
    "/api/v1/servers/__proto__",
    "/api/v1/constructor",
    "/api/v1/me.json",
    "/api/v1/me.rsc",
    "/api/v1/me.segments/_tree.segment.rsc",
  ];
  const headers = { Authorization: `Bearer ${token}` };
  await expectEqualThroughBoth(paths.flatMap((path) => [{ path, headers }, { path }]));
});

test("every kind of Authorization header is the same whole answer through both doors", async () => {
  const { token } = await newAccount();
  const authorizations = [
    "",
    "Bearer",
    "Basic YTpi",
    token,
    `bearer \t ${token} `,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${mintToken()}`,
    `Bearer ${token}, Bearer ${token}`,
    [`Bearer ${token}`, `Bearer ${mintToken()}`],
    `Bearer ${"x".repeat(10_000)}`,
  ];
  await expectEqualThroughBoth(
    authorizations.map((Authorization) => ({ path: "/api/v1/me", headers: { Authorization } })),
  );
});

test("a body of 1 KB or more is compressed for those who ask, a smaller one never, through both doors", async () => {
  const { id: accountId, token } = await newAccount();
  const { id: small } = await newGameService(accountId);
  const { id: large } = await newGameService(accountId);
  const zeros = { packets: 0n, bytes: 0n, dropped: 0n, connections: 0n };
  const now = Date.now();
  await db.metricSample.createMany({
    data: Array.from({ length: 2000 }, (_, n) => ({
      serviceId: large,
      ts: new Date(now - 30 * MINUTE),
      nodeId: n + 1,
      ...zeros,
    })),
  });
  for (const encoding of ["gzip", "identity", "gzip;q=0", "br;q=1, gzip;q=0.5", "GZIP", ""]) {
    for (const id of [small, large]) {
      const sent = {
        path: `/api/v1/game-services/${id}/metrics`,
        headers: { Authorization: `Bearer ${token}`, "Accept-Encoding": encoding },
      };
      const isCompressed = id === large && /gzip(?!;q=0$)/i.test(encoding);
      for (const origin of [sharedOrigin(), nextDoor.origin]) {
        const { headers, text } = await send(origin, sent);
        expect(headers["content-encoding"], `${encoding}, ${text.length}`).toBe(isCompressed ? "gzip" : undefined);
        expect(headers.vary).toBe("Accept-Encoding");
      }
      await expectEqualThroughBoth([sent]);
    }
  }
});
