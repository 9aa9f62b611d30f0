import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atArrival, changedBuild } from "@/e2e/support/changed-bundle";
import { NO_VARIABLES, startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { insertCaller } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { startPostgresOnSmallDisk } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { NO_EXPIRY } from "@/lib/tokens/expiry";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { startApp } from "@/scripts/app-process";
import { migrate } from "@/scripts/database";

const DISK_MB = 120;
/** A result whose log has no room in a page of a table that is begun, and no zeros to pack. */
const RESULT = `{"version":"v2026-07-03","os":{"kernel":"6.12.48"},"cpu":{"cores":4,"freq":"2445.404 MHz"},"mem":{"ram":8142440},
  "noise":"${randomBytes(12_000).toString("base64")}","geekbench":[{"version":6,"single":1500,"multi":4000,"url":"x"}]}`;

test("with PostgreSQL's disk full, writes are 503, lists work and recovery needs no restart", async ({ page }) => {
  needs("postgres", "namespaces");
  const postgres = await startPostgresOnSmallDisk(DISK_MB);
  await migrate(postgres.url);
  const token = await insertCaller(postgres.url);
  const key = mintToken("serverKey");
  const benchmarkKey = mintToken("benchmarkKey");
  const session = randomBytes(32).toString("base64url");
  await runSql(
    postgres.url,
    `with added as (insert into servers (account_id, label, hostname) values (1, 's', 'h') returning id),
       run as (insert into benchmark_runs (server_id, label, agent_token_hash)
         select id, 'Monthly', '${hashToken(benchmarkKey)}' from added),
       signed_in as (insert into sessions (token_hash, account_id, expires_at)
         values ('${hashToken(session)}', 1, now() + '30 days'))
     insert into server_keys (server_id, key_hash, hint) select id, '${hashToken(key)}', 'xxxx' from added`,
  );
  const app = await startConsole(postgres.url);
  const { origin } = app;
  const list = () => fetch(`${origin}/api/v1/servers`, { headers: { Authorization: `Bearer ${token}` } });
  const report = () =>
    fetch(`${origin}/ingest/v1/check-ins`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ cpu_pct: 5 }),
    });
  const upload = () =>
    fetch(`${origin}/ingest/v1/benchmarks/${benchmarkKey}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: RESULT,
    });
  const cookie = { Cookie: `session=${session}` };
  const emptyForm = fieldsOfForm(await (await fetch(origin + TOKEN_PAGE, { headers: cookie })).text(), "Create token");
  /** As a browser without JavaScript. */
  const createToken = () => {
    const form = new FormData();
    for (const [name, value] of emptyForm) form.set(name, value);
    form.set("name", "without a script");
    form.set("expiry", NO_EXPIRY);
    return fetch(origin + TOKEN_PAGE, { method: "POST", body: form, headers: { ...cookie, Origin: origin } });
  };
  /** Until PostgreSQL refuses so often in succession: whether a row has room also depends on its place in the indexes. */
  const fillUp = async (statement: string, refusals: number) => {
    for (let refused = 0; refused < refusals; ) {
      const error = await runSql(postgres.url, statement).then(
        () => null,
        (error: unknown) => error,
      );
      if (error) expect(error).toMatchObject({ code: "53100" });
      refused = error ? refused + 1 : 0;
    }
  };
  const waitAndStatus = ({ status, headers }: Response) => [status, headers.get("retry-after")];
  const names = () => runSql(postgres.url, "select name from access_tokens where account_id = 1 order by id");
  try {
    await page.context().addCookies([{ name: "session", value: session, url: origin }]);
    await page.goto(origin + TOKEN_PAGE);
    await page.getByLabel("Name").fill("with a script");
    await runSql(
      postgres.url,
      `create unlogged table large (text text); alter table large alter text set storage plain;
       insert into accounts (name, email, role) values ('Other', 'other@example.com', 'customer')`,
    );
    // Rows of nearly a page each, fewer and fewer at once, until not one has room; then what is left in the pages of tokens.
    for (const rows of [1000, 100, 1]) {
      await fillUp(`insert into large select repeat('a', 8000) from generate_series(1, ${rows})`, 1);
    }
    await fillUp(
      `insert into access_tokens (account_id, name, token_hash, hint, form_nonce)
       values (2, 't', md5(random()::text) || md5(random()::text), 'xxxx', gen_random_uuid())`,
      20,
    );
    expect(waitAndStatus(await report())).toEqual([503, "5"]);
    expect(waitAndStatus(await upload())).toEqual([503, "5"]);
    const refused = await createToken();
    expect(waitAndStatus(refused)).toEqual([503, "5"]);
    expect(await refused.text()).toContain("Look whether the form was taken before you send it again.");
    await page.getByRole("button", { name: "Create token" }).click();
    // What people without JavaScript read.
    await expect(
      page.getByRole("alert").filter({ hasText: "Look whether the form was taken before you send it again." }),
    ).toBeVisible();
    await expect(page.getByLabel("Name")).toHaveValue("with a script");
    expect((await list()).status).toBe(200);
    expect((await fetch(origin + TOKEN_PAGE, { headers: cookie })).status).toBe(200);
    expect(await runSql(postgres.url, "select from telemetry_samples")).toEqual([]);
    expect(await names()).toEqual([{ name: "Token" }]);

    await runSql(postgres.url, "drop table large");
    await expect.poll(async () => (await report()).status).toBe(200);
    expect(await runSql(postgres.url, "select cpu_pct from telemetry_samples")).toEqual([{ cpu_pct: 5 }]);
    expect((await upload()).status).toBe(200);
    expect(await runSql(postgres.url, "select log from benchmark_runs")).toEqual([{ log: RESULT }]);
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
    expect((await createToken()).status).toBe(200);
    expect(await names()).toEqual([{ name: "Token" }, { name: "with a script" }, { name: "without a script" }]);
  } finally {
    await app.stop();
    await postgres.stop();
  }
});

test("log lines lost to a full disk are counted and reported once room returns", async () => {
  needs("namespaces");
  const dir = mkdtempSync(join(tmpdir(), "console-full-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", dir]);
  const file = join(dir, "console.log");
  const log = openSync(file, "a");
  const opsPort = await freePort();
  // It can be told to write lines: it fails where a request says so.
  const fails = 'if (request.url.includes("fault-gate")) throw new Error("made to fail: gate");\n';
  const { distDir, clean } = changedBuild((text) => atArrival(text, fails));
  const app = await startApp({
    databaseUrl: "postgresql://postgres@127.0.0.1:1/none",
    host: "127.0.0.1",
    port: 0,
    mode: "production",
    distDir,
    stdio: log,
    variables: { ...NO_VARIABLES, OPS_PORT: String(opsPort) },
  });
  closeSync(log);
  const lost = async () => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();
    return Number(/^console_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
  };
  const read = () => readFileSync(file, "utf8");
  try {
    expect(await lost()).toBe(0);
    const fill = join(dir, "fill");
    expect(() => writeFileSync(fill, Buffer.alloc(2 ** 20))).toThrow("ENOSPC");
    // Long lines, because the file may grow to the end of its last page of 4 KB.
    for (const letter of ["x", "y", "z"]) {
      expect((await fetch(`${app.origin}/api/v1/${letter.repeat(3000)}?fault-gate`)).status).toBe(500);
    }
    await expect.poll(lost).toBeGreaterThan(0);
    const count = await lost();
    expect(read()).not.toContain("log lines lost");
    rmSync(fill);
    await expect.poll(read).toContain('"event":"log lines lost"');
    const said = read()
      .split("\n")
      .find((line) => line.includes("log lines lost"));
    expect(JSON.parse(said ?? "")).toMatchObject({ level: "error", count, since: expect.any(String) });
    expect(await lost()).toBe(count);
    expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
  } finally {
    await app.stop();
    clean();
    execFileSync("umount", ["-l", dir]);
    rmSync(dir, { recursive: true });
  }
  expect(app.child.exitCode).toBe(0);
});
