import pg from "pg";
import { CHECK_INS, typeOf } from "@/e2e/support/agent-protocols";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { newAccount, newReportingServer, newSession, newToken } from "@/e2e/support/factories";
import { expect, spend, test } from "@/e2e/support/fixtures";
import { needsPostgresRun } from "@/e2e/support/needs";
import { db } from "@/lib/database/client";
import { DAY, SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { hashToken, mintToken } from "@/lib/tokens/format";

// One customer asks for as much as it can, from the same ip as a quiet one. What they are answered counts, not how fast.

/** How often the quiet customer asks for everything during an attack. */
const ROUNDS = 4;
/** `waitedMs`: from the request to its answer. */
type Seen = {
  status: number;
  retryAfter: string | null;
  tokenEnd: string | null;
  waitedMs: number;
  token: string;
};

const FLEET = 1000;
const LONG_PATHS = ["/metrics", "/api/v1/servers"];
const shortPath = (serverId: number) => `/api/v1/servers/${serverId}/benchmarks`;

type Customer = { accountId: number; token: string; serverId: number; key: string; cookie: string };
let app: ConsoleServer;
let attacker: Customer;
/** Keys of the attacker's daemons, one for each of its servers. */
let keys: string[];
test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  app = await startConsole(String(process.env.DATABASE_URL), { TRUSTED_PROXIES: "1" });
  attacker = await newCustomer();
  keys = Array.from({ length: FLEET }, () => mintToken("serverKey"));
  await db.$executeRaw`
    with added as (
      insert into servers (account_id, label, hostname, last_seen_at)
      select ${attacker.accountId}, 'Server ' || n, 'server.example.net', now() from generate_series(2, ${FLEET}) n
      returning id),
    numbered as (select id, row_number() over (order by id) as n from added)
    insert into server_keys (server_id, key_hash, hint)
    select id, (${keys.map((key) => hashToken(key))}::text[])[n], 'hint' from numbered`;
});

test.afterAll(() => app.stop());

/** All customers are behind the same NAT. */
function send(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
  const shared = { "X-Forwarded-For": "198.51.100.20" };
  return fetch(app.origin + path, { redirect: "manual", ...init, headers: { ...shared, ...headers } });
}

/** Sends on so many connections, on each again as soon as it is answered, until the attack is stopped. */
function attack(connections: number, ask: (connection: number, round: number) => [Promise<Response>, string?]) {
  let isOver = false;
  const seen: Seen[] = [];
  const all = Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let round = 0; !isOver; round++) {
        const start = performance.now();
        const [answered, token = ""] = ask(connection, round);
        const answer = await answered;
        await answer.arrayBuffer();
        const { status, headers } = answer;
        const [retryAfter, tokenEnd] = [headers.get("retry-after"), headers.get("x-token-expires-at")];
        seen.push({ status, retryAfter, tokenEnd, waitedMs: performance.now() - start, token });
      }
    }),
  );
  return {
    seen,
    /** Waits until the attacker asks for more than it is given. */
    async untilRefused(status = 503): Promise<void> {
      const statuses = () => [...new Set(seen.map((each) => each.status))];
      await expect.poll(statuses).toContain(status);
    },
    async stop(): Promise<Seen[]> {
      isOver = true;
      await all;
      return seen;
    },
  };
}

async function newCustomer(): Promise<Customer> {
  const { id, token } = await newAccount();
  const server = await newReportingServer(id);
  return { accountId: id, token, serverId: server.id, key: server.key, cookie: `session=${await newSession(id)}` };
}

const sendWithToken = (path: string, token: string) => send(path, { Authorization: `Bearer ${token}` });

/** Sends what the machine of a key measured now. */
const report = (key: string) =>
  send(CHECK_INS, { ...typeOf(CHECK_INS), Authorization: `Bearer ${key}` }, { method: "POST", body: '{"cpu_pct":5}' });

/** The quiet customer asks for everything it has, and so does a balancer: each answer is a 200. */
async function expectServed(quiet: Customer): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const requests = {
      "/api/v1/me": sendWithToken("/api/v1/me", quiet.token),
      "/metrics": sendWithToken("/metrics", quiet.token),
      "a check-in": report(quiet.key),
      "/dashboard": send("/dashboard", { Cookie: quiet.cookie }),
      "/readyz": fetch(`${app.origin}/readyz`),
    };
    for (const [what, answered] of Object.entries(requests)) {
      const answer = await answered;
      expect(answer.status, `${what}: ${await answer.text()}`).toBe(200);
    }
  }
}

/** Locks all servers of an account meanwhile. What must write to them waits inside the database, with its connection. */
async function whileLocked<Result>(accountId: number, task: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select id from servers where account_id = $1 for update", [accountId]);
    return await task();
  } finally {
    await client.end();
  }
}

/** A refusal names whole seconds within the longest wait. It comes a second late, so that asking again at once gains nothing. */
function expectTrueRefusals(seen: readonly Seen[]): void {
  const refused = seen.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const { retryAfter, waitedMs } of refused) {
    expect(retryAfter).toMatch(/^[1-5]$/);
    expect(waitedMs).toBeGreaterThan(0.95 * SECOND);
  }
}

test("480 simultaneous requests for long lists leave others served, and refusals cost no quota", async () => {
  const [quiet, usedUp] = [await newCustomer(), await newToken(attacker.accountId)];
  const end = new Date(Date.now() + DAY);
  const tokens: string[] = [];
  for (let n = 0; n < 30; n++) tokens.push(await newToken(attacker.accountId, end));
  await spend(usedUp, API_REQUESTS.limit, app.origin);
  const before = app.output().length;
  const crowd = attack(480, (connection, round) => {
    const token = String(tokens[(connection + round) % tokens.length]);
    // Few ask for what is answered at once, because they use up the quota of all.
    const path = connection % 12 === 0 ? shortPath(attacker.serverId) : String(LONG_PATHS[connection % 2]);
    return [sendWithToken(path, token), token];
  });
  await crowd.untilRefused();
  // The account's queue is full: what has used up its quota is told so all the same.
  for (const path of LONG_PATHS) expect((await sendWithToken(path, usedUp)).status).toBe(429);
  await expectServed(quiet);
  const seen = await crowd.stop();
  expectTrueRefusals(seen);
  expect(seen.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(new Set(seen.map(({ tokenEnd }) => tokenEnd))).toEqual(new Set([String(end.getTime())]));
  const log = app.output().slice(before);
  expect(log).toMatch(new RegExp(`"event":"busy".*"account":${attacker.accountId}\\b`));
  expect(log).not.toContain("database unavailable");

  // What each token has left shows what was counted: the answers alone. One more question is asked for each.
  for (const token of tokens) {
    const left = Number((await sendWithToken("/api/v1/me", token)).headers.get("x-ratelimit-remaining"));
    const answers = seen.filter((each) => each.token === token && each.status === 200).length;
    expect(API_REQUESTS.limit - left).toBeLessThanOrEqual(answers + 1);
  }
});

test("300 reports held up by locked rows leave connections to others", async () => {
  needsPostgresRun();
  const quiet = await newCustomer();
  const { key } = await newReportingServer(quiet.accountId);
  const crowd = await whileLocked(attacker.accountId, async () => {
    const crowd = attack(300, (connection) => {
      const daemon = String(keys[connection % (FLEET - 1)]);
      return [report(daemon), daemon];
    });
    const answer = await report(key);
    expect(answer.status, await answer.text()).toBeLessThan(300);
    await expectServed(quiet);
    // Those that wait are refused after two seconds.
    await crowd.untilRefused();
    return crowd;
  });
  const isTaken = ({ status }: Seen) => status < 300;
  await expect.poll(() => crowd.seen.some(isTaken)).toBe(true);
  const seen = await crowd.stop();
  expectTrueRefusals(seen);
  expect(seen.filter((one) => !isTaken(one) && one.status !== 503)).toEqual([]);
  const taken = new Set(seen.filter(isTaken).map(({ token }) => token));
  const stored = await db.$queryRaw`select count(distinct server_id)::int as servers from telemetry_samples
    where server_id in (select id from servers where account_id = ${attacker.accountId})`;
  expect(stored).toEqual([{ servers: taken.size }]);
});
