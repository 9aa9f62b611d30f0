import pg from "pg";
import { REPORTERS, type Reporter, typeOf } from "@/e2e/support/agent-protocols";
import { attack, crowdedConsole, ROUNDS, type Seen, SHARED_IP } from "@/e2e/support/crowds";
import { newAccount, newGameService, newReportingServer, newSession, newToken } from "@/e2e/support/factories";
import { expect, spend, test } from "@/e2e/support/fixtures";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { needsPostgresRun } from "@/e2e/support/needs";
import { sendFields } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY, SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { hashToken, mintToken } from "@/lib/tokens/format";

// One customer asks for as much as it can, from the same ip as a quiet one. What they are answered counts, not how fast.

const { running, send, readAdmission } = crowdedConsole();

const FLEET = 1000;
const LONG_PATHS = ["/metrics", "/api/v1/servers"];
const shortPath = (serverId: number) => `/api/v1/servers/${serverId}/benchmarks`;

type Customer = { accountId: number; token: string; serverId: number; key: string; cookie: string };
let attacker: Customer;
/** Keys of the attacker's daemons, one for each of its servers. */
let keys: string[];
test.beforeAll(async () => {
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

async function newCustomer(): Promise<Customer> {
  const { id, token } = await newAccount();
  const server = await newReportingServer(id);
  return { accountId: id, token, serverId: server.id, key: server.key, cookie: `session=${await newSession(id)}` };
}

const sendWithToken = (path: string, token: string) => send(path, { Authorization: `Bearer ${token}` });

/** Sends what the machine of a key measured now. */
const report = (key: string, { path, body }: Reporter) =>
  send(path, { ...typeOf(path), Authorization: `Bearer ${key}` }, { method: "POST", body: body(Date.now(), 0) });

const DAEMON = REPORTERS["the daemon"] as Reporter;

/** The quiet customer asks for everything it has, and so does a balancer: each answer is a 200. */
async function expectServed(quiet: Customer): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const requests = {
      "/api/v1/me": sendWithToken("/api/v1/me", quiet.token),
      "/metrics": sendWithToken("/metrics", quiet.token),
      "a check-in": report(quiet.key, DAEMON),
      "/dashboard": send("/dashboard", { Cookie: quiet.cookie }),
      "/readyz": fetch(`${running.app.origin}/readyz`),
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
  await spend(usedUp, API_REQUESTS.limit, running.app.origin);
  const before = running.app.output().length;
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
  const log = running.app.output().slice(before);
  expect(log).toContain('"event":"busy"');
  expect(log).not.toContain("database unavailable");

  // What each token has left shows what was counted: the answers alone. One more question is asked for each.
  for (const token of tokens) {
    const left = Number((await sendWithToken("/api/v1/me", token)).headers.get("x-ratelimit-remaining"));
    const answers = seen.filter((each) => each.token === token && each.status === 200).length;
    expect(API_REQUESTS.limit - left).toBeLessThanOrEqual(answers + 1);
  }
});

test("an account's long answers are made one at a time, short ones are not", async () => {
  const quiet = await newCustomer();
  const [busy, short] = [await newToken(attacker.accountId), await newToken(quiet.accountId)];
  const ask = async (token: string) => {
    for (const path of ["/api/v1/servers", "/metrics"]) {
      // The first answer shows how long it is.
      expect((await sendWithToken(path, token)).status).toBe(200);
      const atOnce = Array.from({ length: 8 }, () => sendWithToken(path, token));
      for (const answer of await Promise.all(atOnce)) expect(answer.status).toBe(200);
    }
  };
  const before = await readAdmission("heavy");
  await ask(short);
  expect(await readAdmission("heavy")).toEqual(before);
  await ask(busy);
  const after = await readAdmission("heavy");
  expect(Number(after.waited) - Number(before.waited)).toBeGreaterThanOrEqual(10);

  // A week of a service is, whatever it holds.
  const week = `/api/v1/game-services/${(await newGameService(quiet.accountId)).id}/metrics?range=7d`;
  for (let n = 0; n < 5; n++) expect((await sendWithToken(week, short)).status).toBe(200);
  const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(sumOf(await readAdmission("heavy"))).toBe(sumOf(after) + 5);
});

test("simultaneous first requests for a list are soon answered one at a time", async () => {
  const { accountId, token } = await newCustomer();
  await db.$executeRaw`insert into servers (account_id, label, hostname)
    select ${accountId}, 'Server ' || n, 'server.example.net' from generate_series(1, 150) n`;
  const before = await readAdmission("heavy");
  const atOnce = Array.from({ length: 30 }, () => sendWithToken("/api/v1/servers", token));
  for (const answer of await Promise.all(atOnce)) expect(answer.status).toBe(200);
  const after = await readAdmission("heavy");
  expect(Number(after.waited) - Number(before.waited)).toBeGreaterThanOrEqual(15);
});

// Stock agents all take their place in one function.
for (const [name, reporter] of Object.entries({ "the daemon": DAEMON, Prometheus: REPORTERS.Prometheus as Reporter })) {
  test(`300 reports by ${name} held up by locked rows leave connections to others`, async () => {
    needsPostgresRun();
    const quiet = await newCustomer();
    const { key } = await newReportingServer(quiet.accountId);
    const crowd = await whileLocked(attacker.accountId, async () => {
      const crowd = attack(300, (connection) => {
        const daemon = String(keys[connection % (FLEET - 1)]);
        return [report(daemon, reporter), daemon];
      });
      const answer = await report(key, reporter);
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
    // A first scrape is no sample yet.
    if (reporter !== DAEMON) return;
    const taken = new Set(seen.filter(isTaken).map(({ token }) => token));
    const stored = await db.$queryRaw`select count(distinct server_id)::int as servers from telemetry_samples
      where server_id in (select id from servers where account_id = ${attacker.accountId})`;
    expect(stored).toEqual([{ servers: taken.size }]);
  });
}

test("60 forms waiting for one locked row take one connection, and others are served", async () => {
  needsPostgresRun();
  const quiet = await newCustomer();
  const path = `/dashboard/servers/${attacker.serverId}/settings`;
  const html = await (await send(path, { Cookie: attacker.cookie })).text();
  const fields = fieldsOfForm(html, "Replace the key");
  const headers = { Cookie: attacker.cookie, Origin: running.app.origin, "X-Forwarded-For": SHARED_IP };
  await whileLocked(attacker.accountId, async () => {
    const crowd = attack(60, () => [sendFields(running.app.origin + path, fields, headers)]);
    await crowd.untilRefused();
    await expectServed(quiet);
    expectTrueRefusals(await crowd.stop());
  });
});

test("delayed writes of fifty locked tokens keep no other account waiting", async () => {
  needsPostgresRun();
  const [busy, quiet] = [await newAccount(), await newCustomer()];
  const tokens = [busy.token];
  while (tokens.length < 50) tokens.push(await newToken(busy.id));
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select id from access_tokens where account_id = $1 for update", [busy.id]);
    const answers = tokens.map((token) => sendWithToken("/api/v1/me", token));
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    await expectServed(quiet);
  } finally {
    await client.end();
  }
  const unused = { accountId: busy.id, lastUsedAt: null };
  await expect.poll(() => db.accessToken.count({ where: unused })).toBe(0);
});

test("40 clients of a huge page and 40 strangers make nobody else wait", async () => {
  const quiet = await newCustomer();
  const crowds = [
    attack(40, () => [send("/dashboard", { Cookie: attacker.cookie })]),
    attack(40, (connection, round) => [send(`/sign-in?next=/${connection}-${round}`, {})]),
  ];
  for (const crowd of crowds) await crowd.untilRefused();
  await expectServed(quiet);
  // A stranger from elsewhere.
  expect((await send("/sign-in?next=/dashboard", { "X-Forwarded-For": "203.0.113.9" })).status).toBe(200);
  for (const crowd of crowds) expectTrueRefusals(await crowd.stop());
});

test("made-up tokens from one ip delay no valid token's first request from there", async () => {
  const quiet = await newCustomer();
  const unseen: string[] = [];
  for (let round = 0; round < 10; round++) unseen.push(await newToken(quiet.accountId));
  const crowd = attack(300, () => [sendWithToken("/api/v1/me", mintToken())]);
  await crowd.untilRefused(401);
  for (const token of unseen) expect((await sendWithToken("/api/v1/me", token)).status).toBe(200);
  await expectServed(quiet);
  const seen = await crowd.stop();
  expect(seen.filter(({ status }) => status !== 401 && status !== 503)).toEqual([]);
});
