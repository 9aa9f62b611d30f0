import { METHODS, request } from "node:http";
import { askBothDoors, comparable, throughBothDoors, type WholeAnswer } from "@/e2e/support/doors";
import { newAccount, newGameService, newServer, newToken } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { expectNoFrameworkHeaderToMatter } from "@/e2e/support/framework-headers";
import { startNextAlone } from "@/e2e/support/next-alone";
import { startConsoleWithoutDirectDoor } from "@/e2e/support/next-door";
import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// Every spec of the API uses both doors (see e2e/support/doors.ts). This one sends requests that no client library can
// send.

test.describe("through both doors", { tag: "@embedded-only" }, () => {
  test("a build that lists a handler it does not have is served by Next's router, and one log line says so", async () => {
    const app = await startConsoleWithoutDirectDoor(String(process.env.DATABASE_URL));
    try {
      const { token, id } = await newAccount();
      const answer = await fetch(`${app.origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } });
      expect([answer.status, await answer.json()]).toMatchObject([200, { data: { id } }]);
      expect(app.output().match(/direct door closed: Next's router answers everything/g)).toHaveLength(1);
    } finally {
      await app.stop();
    }
  });

  test("every method with a body of 1 MB is the same whole answer, on known and unknown paths", async () => {
    const headers = { Authorization: `Bearer ${await newToken((await newAccount()).id)}` };
    const body = "x".repeat(1_000_000);
    for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "QUERY"]) {
      for (const path of ["/api/v1/me", "/api/v1/servers/1", "/api/v1/nope", "/api/v1"]) {
        const { status } = await sendExactly({ path, method, headers, body });
        const isRead = method === "GET" || method === "HEAD";
        // Node 20.19.0 does not know QUERY yet: its parser refuses it before anybody is asked.
        const refused = METHODS.includes(method) ? 405 : 400;
        const expected = method === "OPTIONS" ? 204 : !isRead ? refused : path === "/api/v1/me" ? 200 : 404;
        expect(status, `${method} ${path}`).toBe(expected);
      }
    }
  });

  test("every spelling of a path is the same whole answer, to whoever has a token and to others", async () => {
    const { id: accountId, token } = await newAccount();
    const { id } = await newServer(accountId);
    for (const path of [
      "/api/v1/%6d%65",
      `/api/v1/servers/${id}/`,
      `/api/v1/servers/${id}%2Fbenchmarks`,
      `/api/v1/servers%2F${id}`,
      `/api/v1/servers/0${id}`,
      `/api/v1/servers/${id}?`,
      "/api/v1/servers/[id]",
      "/api/[[...path]]",
      "/api/v1/servers/..",
      `/api/v1/servers\\${id}`,
      "/api/v1/servers/\\1",
      "/api/v1/./me",
      "/api/v1/servers/__proto__",
      "/api/v1/constructor",
      "/api/v1/me.json",
      "/api/v1/me.rsc",
      "/api/v1/me.segments/_tree.segment.rsc",
    ]) {
      await sendExactly({ path, headers: { Authorization: `Bearer ${token}` } });
      expect((await sendExactly({ path })).status, path).toBe(401);
    }
  });

  test("the document, asked for by the same name, is the same whole answer with the same tag", async () => {
    for (const path of ["/openapi.json", "/openapi.json/", "/openapi.json?x=1"]) {
      expect((await sendExactly({ path, headers: { Host: "console.example" } })).status, path).toBe(200);
    }
  });

  test("a body of 1 KB or more is compressed for those who ask, a smaller one never", async () => {
    const { id: accountId, token } = await newAccount();
    const [{ id: small }, { id: large }] = [await newGameService(accountId), await newGameService(accountId)];
    const zeros = { packets: 0n, bytes: 0n, dropped: 0n, connections: 0n };
    const ts = new Date(Date.now() - 30 * MINUTE);
    await db.metricSample.createMany({
      data: Array.from({ length: 2000 }, (_, n) => ({ serviceId: large, ts, nodeId: n + 1, ...zeros })),
    });
    for (const encoding of ["gzip", "identity", "gzip;q=0", "br;q=1, gzip;q=0.5", "GZIP", ""]) {
      for (const id of [small, large]) {
        const { headers, text } = await askBothDoors(`/api/v1/game-services/${id}/metrics`, {
          headers: { Authorization: `Bearer ${token}`, "Accept-Encoding": encoding },
        });
        const isCompressed = id === large && /gzip(?!;q=0$)/i.test(encoding);
        expect(headers.get("content-encoding"), `${encoding}, ${text.length}`).toBe(isCompressed ? "gzip" : null);
        expect(headers.get("vary")).toBe("Accept-Encoding");
      }
    }
  });
});

test("no header that the framework knows changes an answer where Next alone serves the build: what carries one is asked for its token, and counted", async () => {
  const alone = await startNextAlone(String(process.env.DATABASE_URL));
  try {
    await expectNoFrameworkHeaderToMatter(alone.origin);
    const { token, id } = await newAccount();
    for (const [header, left] of [
      ["X-Middleware-Prefetch", API_REQUESTS.limit - 1],
      ["RSC", API_REQUESTS.limit - 2],
    ] as const) {
      const headers = { Authorization: `Bearer ${token}`, [header]: "1" };
      const answer = await fetch(`${alone.origin}/api/v1/me`, { headers, redirect: "manual" });
      expect([answer.status, answer.headers.get("x-ratelimit-remaining")], header).toEqual([200, String(left)]);
      expect(await answer.json()).toMatchObject({ data: { id } });
    }
    // It opens nothing else either.
    const forged = { method: "POST", headers: { "X-Middleware-Prefetch": "1" }, body: new FormData() };
    expect((await fetch(`${alone.origin}/sign-in`, forged)).status).toBe(403);
  } finally {
    await alone.stop();
  }
});

type Sent = { path: string; method?: string; headers?: Record<string, string>; body?: string };

/** To both doors, letter by letter: `fetch` would tidy the path up, and gives GET no body. */
function sendExactly(sent: Sent): Promise<WholeAnswer> {
  return throughBothDoors((origin) => send(origin, sent), comparable);
}

function send(origin: string, { path, method = "GET", headers = {}, body }: Sent): Promise<WholeAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => (text += chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
        resolve({ status: answer.statusCode ?? 0, headers: new Headers(pairs), text });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
