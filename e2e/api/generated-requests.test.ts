import fc from "fast-check";
import { expect, test } from "vitest";
import { ask, findJudge } from "@/e2e/support/ask";
import { newAccount, newBenchmarkRun, newGameService, newServer } from "@/e2e/support/factories";
import type { Judge } from "@/e2e/support/judge";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { UNUSABLE_IDS } from "@/e2e/support/unusable-ids";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { hashToken, mintToken, tokenHint } from "@/lib/tokens/format";

const REQUESTS = process.env.CI ? 20_000 : 400;
/** CI begins with the same ones. */
const seed = 20_261_129;
/** Enough tokens that requests rarely meet the rate limit, which other tests cover. */
const TOKENS = 220;
const AT_ONCE = 6;
const ODD_IDS = ["2147483647", "%31", "1.5", "1;drop", "1'", "constructor", "__proto__"];
type Generated = { method: string; path: string; headers: Record<string, string | string[]>; body: string };
type Ids = { serverId: number; serviceId: number; foreignId: number };

test(`${REQUESTS} generated requests are answered as the document says and never with 5xx`, async () => {
  const { ids, tokens } = await fill();
  const judge = await findJudge();
  const generated = fc.sample(requests(ids), { numRuns: REQUESTS, seed });
  const problems: unknown[] = [];
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async () => {
    for (let at = next++; at < generated.length && problems.length < 5; at = next++) {
      const sent = withToken(generated[at] as Generated, tokens[at % TOKENS] ?? "");
      const { status, found } = await trial(sent, judge);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500 || found.length > 0) problems.push({ ...generated[at], status, found });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(problems, `seed ${seed}`).toEqual([]);
  // Checks that the generated requests provoke every kind of answer.
  expect([...statuses.keys()].sort(), `seed ${seed}`).toEqual(expect.arrayContaining([200, 204, 400, 401, 404, 405]));
  expect(statuses.get(200), `seed ${seed}`).toBeGreaterThan(REQUESTS / 20);
});

async function trial(sent: Generated, judge: Judge): Promise<{ status: number; found: string[] }> {
  const { method, path, headers, body } = sent;
  try {
    const init = { method, headers: headers as Record<string, string>, ...(body !== "" && { body }) };
    const answer = await ask(path, init);
    return { status: answer.status, found: judge({ method, path, ...answer }) };
  } catch (error) {
    return { status: 0, found: [String(error)] };
  }
}

/** `TOKEN` stands for a good token, which no generator can guess. */
function withToken(sent: Generated, token: string): Generated {
  const { authorization } = sent.headers;
  if (typeof authorization !== "string") return sent;
  return { ...sent, headers: { ...sent.headers, authorization: authorization.replace("TOKEN", token) } };
}

/** What a careless, an ingenious and a broken client send. */
function requests({ serverId, serviceId, foreignId }: Ids): fc.Arbitrary<Generated> {
  const garbage = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_.~!$&'()*+,;=:@%[]{}|\\^`\"<>"), maxLength: 30 });
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(serverId, serviceId, foreignId).map(String) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_IDS, ...UNUSABLE_IDS) },
    fc.integer().map(String),
    garbage.filter((text) => text !== "" && !/^(?:\.|%2e)+$/i.test(text)),
  );
  const endpoint = fc.oneof(
    fc.constantFrom("/me", "/servers", "/game-services"),
    id.map((text) => `/servers/${text}`),
    id.map((text) => `/servers/${text}/benchmarks`),
    id.map((text) => `/game-services/${text}`),
    id.map((text) => `/game-services/${text}/metrics`),
  );
  const path = fc.oneof(
    { weight: 9, arbitrary: endpoint },
    endpoint.map((text) => `${text}/`),
    endpoint.map((text) => `/${text}`),
    fc.tuple(endpoint, id).map((parts) => parts.join("/")),
    fc.constantFrom(
      "",
      "/",
      "/ME",
      "/server",
      "/servers/1/metrics",
      "/openapi.json",
      "/_next",
      "/me.json",
      `/${"a".repeat(3000)}`,
    ),
  );
  const range = fc.oneof(
    fc.constantFrom("range=1h", "range=24h", "range=7d", "range=%31h"),
    fc.constantFrom(
      "range=",
      "range",
      "range=1H",
      "range=2h",
      "range=1h&range=1h",
      "range[]=1h",
      "range=__proto__",
      "range=+1h",
    ),
    garbage.map((text) => `range=${text}`),
    fc.constantFrom(
      "since=",
      "since=0",
      "since=-1",
      "since=1e400",
      "since=1&since=2",
      "range=7d&since=8640000000000000",
    ),
    fc.oneof(fc.nat().map(String), garbage).map((text) => `range=24h&since=${text}`),
  );
  const query = fc.oneof({ weight: 3, arbitrary: fc.constant("") }, range, garbage, fc.constant("x=1&".repeat(500)));
  const authorization = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom("Bearer TOKEN", "bearer  TOKEN", "BEARER TOKEN ") },
    fc.constantFrom("", "Bearer", "Bearer TOKENx", "Basic TOKEN", "TOKEN", "Bearer TOKEN TOKEN", "Bearer cpat_"),
    fc.nat(40).map((at) => `Bearer ${mintToken().slice(0, at)}`),
    fc.constant(`Bearer ${mintToken()}`),
    garbage.map((text) => `Bearer ${text}`),
  );
  const others = fc.dictionary(
    fc.constantFrom(
      "accept",
      "accept-encoding",
      "accept-language",
      "origin",
      "cookie",
      "range",
      "if-none-match",
      "rsc",
      "next-router-state-tree",
      "next-router-prefetch",
      "x-middleware-subrequest",
      "x-http-method-override",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-request-id",
      "traceparent",
      "te",
      "upgrade-insecure-requests",
    ),
    fc.oneof(garbage, fc.constantFrom("1", "*", "null", "bytes=0-1", "DELETE", "text/html", "x".repeat(4000))),
    { maxKeys: 3 },
  );
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant("GET") },
    { weight: 2, arbitrary: fc.constantFrom("HEAD", "OPTIONS") },
    fc.constantFrom("POST", "PUT", "PATCH", "DELETE", "PROPFIND", "SEARCH", "TRACE", "LINK"),
  );
  return fc
    .record({
      method,
      path,
      query,
      authorization,
      others,
      body: fc.oneof({ weight: 9, arbitrary: fc.constant("") }, garbage),
    })
    .map(({ method, path, query, authorization, others, body }) => {
      // HTTP forbids a body in these answers.
      const hasBody = body !== "" && !["GET", "HEAD", "OPTIONS", "TRACE"].includes(method);
      const headers = {
        ...others,
        ...(authorization !== "" && { authorization }),
        ...(hasBody && { "content-length": String(Buffer.byteLength(body)) }),
      };
      return { method, path: `/api/v1${path}${query && `?${query}`}`, headers, body: hasBody ? body : "" };
    });
}

async function fill(): Promise<{ ids: Ids; tokens: string[] }> {
  const { id: accountId } = await newAccount();
  const stranger = await newAccount();
  const { id: serverId } = await newServer(accountId);
  await newBenchmarkRun(serverId);
  const { id: serviceId } = await newGameService(accountId);
  const { id: foreignId } = await newServer(stranger.id);
  await recordIntervals([
    { serviceId, ts: Date.now() - HOUR / 2, packets: 1, bytes: 2, connections: 1, latencyMs: 8.5 },
  ]);
  const tokens = Array.from({ length: TOKENS }, mintToken);
  await db.accessToken.createMany({
    data: tokens.map((raw) => ({ accountId, name: "generated", tokenHash: hashToken(raw), hint: tokenHint(raw) })),
  });
  return { ids: { serverId, serviceId, foreignId }, tokens };
}
