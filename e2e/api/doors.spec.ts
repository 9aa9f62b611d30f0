import { isDeepStrictEqual } from "node:util";
import { askExactly } from "@/e2e/support/ask-exactly";
import { newAccount, newBenchmarkRun, newGameService, newOwnedServer } from "@/e2e/support/factories";
import { expect, sharedOrigin, test, type WholeAnswer } from "@/e2e/support/fixtures";
import { expectNoFrameworkHeaderToMatter } from "@/e2e/support/framework-headers";
import { startNextAlone } from "@/e2e/support/next-alone";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// The server calls route handlers directly; Next's router calls them under `next start` and on hosting platforms.
// Clients must not see a difference, but in what Next's router does before it calls a handler: it redirects doubled slashes,
// answers methods and spellings that no handler can have in its own words, and says `Vary` for its pages. Pages take no turns
// there, and without a proxy the ip of a request is not known.

// One Next for all of them.
test.describe.configure({ mode: "default" });
let next: Awaited<ReturnType<typeof startNextAlone>>;
test.beforeAll(async () => {
  next = await startNextAlone(String(process.env.DATABASE_URL));
});
test.afterAll(() => next?.stop());

/** The answer of the shared console, and with it the proof that Next's router there gives the same one, whole. */
async function askBoth(sent: Sent): Promise<WholeAnswer> {
  for (let triesLeft = 2; ; triesLeft--) {
    const [direct, other] = [await send(sharedOrigin(), sent), await send(next.origin, sent)];
    const [expected, found] = [comparable(direct), comparable(other)];
    // Time passes between the two, and a score or an age may change with it, but not every time.
    if (isDeepStrictEqual(found, expected)) return direct;
    if (triesLeft === 0) expect(found, `${sent.method ?? "GET"} ${sent.path} by Next's router`).toEqual(expected);
  }
}

test("every endpoint and kind of refusal gets the same answer under next start", async () => {
  const { accountId, token, id } = await newOwnedServer();
  const { id: service } = await newGameService(accountId);
  await newBenchmarkRun(id);
  const bearer = { Authorization: `Bearer ${token}` };
  const json = { "Content-Type": "application/json" };
  for (const [status, sent] of [
    [200, { path: "/api/v1/me" }],
    [200, { path: "/api/v1/servers" }],
    [200, { path: `/api/v1/servers/${id}` }],
    [200, { path: `/api/v1/servers/${id}/benchmarks` }],
    [200, { path: "/api/v1/game-services" }],
    [200, { path: `/api/v1/game-services/${service}` }],
    [200, { path: `/api/v1/game-services/${service}/metrics?range=1h` }],
    [200, { path: "/api/v1/me", method: "HEAD" }],
    [404, { path: "/api/v1/me/" }],
    [204, { path: "/api/v1/servers", method: "OPTIONS", headers: { Origin: "https://elsewhere.example" } }],
    [400, { path: `/api/v1/game-services/${service}/metrics?range=2h` }],
    [401, { path: "/api/v1/me", headers: {} }],
    [401, { path: "/api/v1/servers/1", headers: { Authorization: "Bearer cpat_mistyped" } }],
    [404, { path: "/api/v1/servers/2147483647" }],
    [404, { path: "/api/v1/servers/x" }],
    [404, { path: "/api/v1/servers/" }],
    [404, { path: "/api/v1/nope" }],
    [405, { path: "/api/v1/me", method: "POST", body: "{}" }],
    [405, { path: "/api/v1/servers/1", method: "DELETE" }],
    [405, { path: "/api/v1/nope", method: "PUT", body: "x".repeat(1_000_000) }],
    [200, { path: "/metrics" }],
    [401, { path: "/metrics", headers: {} }],
    [200, { path: "/healthz" }],
    [200, { path: "/readyz" }],
    [200, { path: "/llms.txt", headers: { Host: "console.example" } }],
    [401, { path: "/ingest/v1/check-ins", method: "POST", headers: json, body: "{}" }],
    [404, { path: "/ingest/v1/nothing", method: "POST", headers: json, body: "{}" }],
    [405, { path: "/ingest/v1/check-ins" }],
    [401, { path: "/mcp", method: "POST", headers: json, body: "{}" }],
    [405, { path: "/mcp" }],
  ] as [number, Sent][]) {
    const answer = await askBoth({ headers: bearer, ...sent });
    expect(answer.status, `${sent.method ?? "GET"} ${sent.path}: ${answer.text}`).toBe(status);
  }
});

test("no framework header bypasses authentication or the quota where Next alone serves the build", async () => {
  const { origin } = next;
  await expectNoFrameworkHeaderToMatter(origin);
  const { token, id } = await newAccount();
  for (const [header, left] of [
    ["X-Middleware-Prefetch", API_REQUESTS.limit - 1],
    ["RSC", API_REQUESTS.limit - 2],
  ] as const) {
    const headers = { Authorization: `Bearer ${token}`, [header]: "1" };
    const answer = await fetch(`${origin}/api/v1/me`, { headers, redirect: "manual" });
    expect([answer.status, answer.headers.get("x-ratelimit-remaining")], header).toEqual([200, String(left)]);
    expect(await answer.json()).toMatchObject({ data: { id } });
  }
  // It opens nothing else either.
  const forged = { method: "POST", headers: { "X-Middleware-Prefetch": "1" }, body: new FormData() };
  expect((await fetch(`${origin}/sign-in`, forged)).status).toBe(403);
});

/** Headers of the moment and of the connection, and what consoles with a limit of their own each count. */
const VARYING =
  /^(?:date|vary|x-request-id|ratelimit|x-ratelimit-remaining|x-ratelimit-reset|connection|keep-alive|transfer-encoding|content-length)$/;

/** Without what differs between any two answers: the moment, and the nonce of a page. */
function comparable({ status, headers, text }: WholeAnswer) {
  return {
    status,
    headers: [...headers]
      .filter(([name]) => !VARYING.test(name))
      .map(([name, value]) => [name, name === "x-console-time" ? "now" : withoutChance(value)]),
    text: withoutChance(text),
  };
}

function withoutChance(text: string): string {
  return text.replaceAll(/nonce(-|=")[\w+/=]{24}/g, "nonce$1N");
}

type Sent = { path: string; method?: string; headers?: Record<string, string>; body?: string };

const send = (origin: string, { body, ...sent }: Sent) => askExactly(origin, sent, body);
