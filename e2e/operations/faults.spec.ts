import pg from "pg";
import { AGENT_PATHS, CHECK_INS, REPORTERS, type Reporter, typeOf } from "@/e2e/support/agent-protocols";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { call, expect, expectFailure, test } from "@/e2e/support/fixtures";
import { fieldsOfForm, sendFields } from "@/e2e/support/html-form";
import { insertCaller, insertReportingServer, insertSession } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { type PostgresServer, startMigratedPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { NO_EXPIRY } from "@/lib/tokens/expiry";
import { hashToken, mintToken } from "@/lib/tokens/format";

const UNAVAILABLE = "Service temporarily unavailable. Retry in a few seconds.";
/** What agents of a protocol look for beside the error. */
const FAILURE_FIELDS: Record<string, object> = {
  [AGENT_PATHS.influx]: { code: "unavailable", message: UNAVAILABLE },
  [AGENT_PATHS.otlp]: { code: 14, message: UNAVAILABLE },
};

test.describe("PostgreSQL in trouble", { tag: "@waits" }, () => {
  // All tests share one server and one console. Each test must leave both working.
  test.describe.configure({ mode: "default" });
  needs("postgres");

  let postgres: PostgresServer;
  let app: ConsoleServer;
  let token: string;

  test.beforeAll(async () => {
    postgres = await startMigratedPostgres();
    app = await startConsole(postgres.url);
  });
  test.beforeEach(async () => {
    await runSql(postgres.url, "delete from accounts");
    token = await insertCaller(postgres.url);
    await expect.poll(async () => (await me()).status).toBe(200);
  });
  test.afterAll(async () => {
    await app.stop();
    await postgres.stop();
  });

  const me = () => call("/api/v1/me", token, { origin: app.origin });

  async function expectUnavailable(): Promise<void> {
    const answer = await expectFailure(me(), 503, UNAVAILABLE);
    expect(answer.headers.get("retry-after")).toBe("5");
  }

  test("unreachable is 503 with Retry-After, lets nobody in and recovers by itself", async () => {
    const begin = app.output().length;
    await postgres.kill();
    await expectUnavailable();
    const refused = await Promise.all(Array.from({ length: 100 }, () => me()));
    expect(refused.map(({ status }) => status)).toEqual(Array(100).fill(503));
    await expectFailure(
      // The checksum in the token is wrong, so the console needs no database to refuse it.
      call("/api/v1/me", token.slice(0, -1) + (token.endsWith("a") ? "b" : "a"), { origin: app.origin }),
      401,
      "Malformed access token: it looks incomplete or mistyped.",
    );
    expect((await fetch(`${app.origin}/readyz`)).status).toBe(503);
    expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
    await postgres.restart();
    await expect.poll(async () => (await me()).status).toBe(200);
    expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);
    // Two lines of the log, however many requests fail.
    const written = () => app.output().slice(begin);
    await expect.poll(written).toContain("database available again");
    const lines = written().trim().split("\n");
    expect(lines.filter((line) => line.includes("database unavailable"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("stack"))).toHaveLength(1);
    expect(JSON.parse(lines.find((line) => line.includes("available again")) ?? "")).toMatchObject({ level: "info" });
  });

  test("every machine endpoint answers its protocol's 503 with Retry-After and later takes the report", async () => {
    const keys: Record<string, string> = {};
    for (const name of Object.keys(REPORTERS)) keys[name] = await insertReportingServer(postgres.url);
    const sentAt = Date.now();
    const report = (name: string, { path, body }: Reporter) =>
      fetch(app.origin + path, {
        method: "POST",
        body: body(sentAt, 0),
        headers: { ...typeOf(path), Authorization: `Bearer ${keys[name]}` },
      });
    await postgres.kill();
    for (const [name, reporter] of Object.entries(REPORTERS)) {
      const answer = await report(name, reporter);
      expect([answer.status, answer.headers.get("retry-after")], name).toEqual([503, "5"]);
      expect(await answer.json(), name).toEqual({
        error: UNAVAILABLE,
        ...FAILURE_FIELDS[reporter.path.split("?")[0] ?? ""],
      });
    }
    await postgres.restart();
    for (const [name, reporter] of Object.entries(REPORTERS)) {
      await expect.poll(async () => (await report(name, reporter)).status, name).toBeLessThan(300);
    }
    const seen = "select count(*)::int as count from server_keys where last_used_at is not null";
    expect(await runSql(postgres.url, seen)).toEqual([{ count: Object.keys(REPORTERS).length }]);
  });

  test("pages that are the same for everybody need no database, but sign-in does", async () => {
    const statuses = async () => {
      const seen: number[] = [];
      for (const path of ["/", "/docs/api", "/docs/api?made=anew", "/sign-in"]) {
        seen.push((await fetch(app.origin + path)).status);
      }
      return seen;
    };
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await postgres.kill();
    expect(await statuses()).toEqual([200, 200, 200, 503]);
    await postgres.restart();
    await expect.poll(async () => (await statuses()).at(-1)).toBe(200);
  });

  test("requests whose token use cannot be written are answered, sharing one pending write", async () => {
    const blocker = new pg.Client(postgres.url);
    await blocker.connect();
    await blocker.query("update access_tokens set last_used_at = null");
    await blocker.query("begin");
    await blocker.query("select id from access_tokens for update");
    const answers = await Promise.all(Array.from({ length: 50 }, () => me()));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const writes =
      "select count(*)::int as count from pg_stat_activity where query like '%update access_tokens%last_used%' and pid <> pg_backend_pid() and state = 'active'";
    const rows = await runSql(postgres.url, writes);
    expect(rows).toEqual([{ count: 1 }]);
    await blocker.query("rollback");
    await blocker.end();
    const used = async () => (await runSql(postgres.url, "select last_used_at from access_tokens"))[0]?.last_used_at;
    await expect.poll(used).toEqual(expect.any(Date));
  });

  test("read-only, reads are answered and writes get 503 until they may again", async ({ page }) => {
    const { origin } = app;
    const key = await insertReportingServer(postgres.url);
    const benchmarkKey = mintToken("benchmarkKey");
    await runSql(
      postgres.url,
      "insert into benchmark_runs (server_id, label, agent_token_hash) select id, 'Monthly', $1 from servers",
      [hashToken(benchmarkKey)],
    );
    const session = await insertSession(postgres.url);
    const cookie = { Cookie: `session=${session}` };
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(origin + path, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
    const checkIn = () => post(CHECK_INS, "{}", { Authorization: `Bearer ${key}` });
    const result = '{"version":"v2026-07-03","geekbench":[{"version":6,"single":1500,"multi":4000,"url":"x"}]}';
    const upload = () => post(`/ingest/v1/benchmarks/${benchmarkKey}`, result);
    const openTokens = () => fetch(origin + TOKEN_PAGE, { headers: cookie });
    const empty = fieldsOfForm(await (await openTokens()).text(), "Create token");
    const fields = [...empty.filter(([name]) => name !== "expiry"), ["expiry", NO_EXPIRY] as const];
    /** As a browser without JavaScript. */
    const createToken = () =>
      sendFields(origin + TOKEN_PAGE, fields, { ...cookie, Origin: origin }, { name: "no script" });
    await page.context().addCookies([{ name: "session", value: session, url: origin }]);
    await page.goto(origin + TOKEN_PAGE);
    await page.getByLabel("Name").fill("with a script");
    const beReadOnly = async (value: "on" | "off") => {
      await runSql(postgres.url, `alter system set default_transaction_read_only = ${value}`);
      await runSql(postgres.url, "select pg_reload_conf()");
    };
    const names = () => runSql(postgres.url, "select name from access_tokens order by id");
    await beReadOnly("on");
    await expect.poll(async () => (await checkIn()).status).toBe(503);
    const refused = await createToken();
    for (const [what, { status, headers }] of Object.entries({
      checkIn: await checkIn(),
      upload: await upload(),
      refused,
    })) {
      expect([status, headers.get("retry-after")], what).toEqual([503, "5"]);
    }
    const sentence = "Look whether the form was taken before you send it again.";
    expect(await refused.text()).toContain(sentence);
    await page.getByRole("button", { name: "Create token" }).click();
    // What people without JavaScript read.
    await expect(page.getByRole("alert").filter({ hasText: sentence })).toBeVisible();
    await expect(page.getByLabel("Name")).toHaveValue("with a script");
    expect((await me()).status).toBe(200);
    expect((await openTokens()).status).toBe(200);
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    expect(await names()).toEqual([{ name: "Token" }]);
    await beReadOnly("off");
    await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(200);
    await expect.poll(async () => (await checkIn()).status).toBe(200);
    expect((await upload()).status).toBe(200);
    expect(await runSql(postgres.url, "select log from benchmark_runs")).toEqual([{ log: result }]);
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
    expect((await createToken()).status).toBe(200);
    expect(await names()).toEqual([{ name: "Token" }, { name: "with a script" }, { name: "no script" }]);
  });

  test("restarted between two requests, at most the next one is 503", async () => {
    await Promise.all(Array.from({ length: 10 }, () => me()));
    await postgres.kill();
    await postgres.restart();
    await me();
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await me()).status));
    expect(statuses).toEqual(Array(20).fill(200));
    // A closed idle connection is not an error.
    expect(app.output()).not.toContain("uncaughtException");
  });

  test("no token, hash, password or URL with a password has reached the log", async () => {
    await postgres.kill();
    await expectUnavailable();
    await call("/api/v1/me?token=query-marker", token, { origin: app.origin });
    expect(app.output()).toContain("database unavailable");
    expect(app.output()).not.toMatch(/cpat_[0-9A-Za-z]{8}/);
    expect(app.output()).not.toMatch(/[0-9a-f]{64}/);
    expect(app.output()).not.toContain("query-marker");
    expect(app.output()).not.toContain(postgres.url);
    await postgres.restart();
  });
});
