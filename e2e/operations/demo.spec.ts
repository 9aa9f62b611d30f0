import { type ChildProcess, execFileSync, execSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { cpus, networkInterfaces, release, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Page } from "playwright/test";
import { childrenOf, isAlive } from "@/e2e/support/child-processes";
import { call, expect, getData, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { insertCaller } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { SECOND } from "@/lib/format/time";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { DIST_DIRS } from "@/scripts/build";
import { findRunningDatabase } from "@/server/embedded/database";

type Demo = {
  child: ChildProcess;
  output(): string;
  /** The exit code, once it has one. */
  ended: Promise<number | null>;
  stop(): Promise<number | null>;
};

/** The command as a newcomer types it, with a free port and a folder of its own. */
async function runCommand(
  name: string,
  variables: Record<string, string>,
  readyText: string,
  args: string[] = [],
): Promise<Demo> {
  const child = spawn(process.execPath, ["scripts/run.mjs", name, ...args], {
    env: { ...process.env, DATABASE_URL: "", HOST: "", CONSOLE_DIST_DIR: DIST_DIRS.test, ...variables },
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  await Promise.race([
    expect.poll(() => output, SLOW).toContain(readyText),
    ended.then(() => Promise.reject(new Error(`The command ended: ${output}`))),
  ]);
  return {
    child,
    output: () => output,
    ended,
    async stop() {
      child.kill("SIGINT");
      return ended;
    },
  };
}

const runDemo = (variables: Record<string, string>) => runCommand("demo", variables, "Ctrl-C stops everything");

test("npm run demo: data in every state, servers that keep checking in and new intervals, a curl line and a README that work, tests of notices that arrive on a page of its own, a clean stop, and a second run that keeps all", {
  tag: ["@one-engine", "@waits"],
}, async ({ page }) => {
  needs("curl");
  const dir = mkdtempSync(join(tmpdir(), "console-demo-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const demo = await runDemo({ DATA_DIR: dir, PORT: String(port) });
  const started = childrenOf(demo.child.pid);
  expect(started.length).toBeGreaterThan(0);

  const curl = /curl -sS .*/.exec(demo.output())?.[0] ?? "";
  expect(JSON.parse(execSync(curl, { encoding: "utf8" })).data.servers.length).toBeGreaterThanOrEqual(6);
  const token = /cpat_\w+/.exec(demo.output())?.[0] ?? "";
  await expectReadmeToBeTrue(origin, token);
  expect(demo.output()).toContain(`${origin}/dashboard/settings/api`);

  type Server = {
    id: number;
    label: string;
    online: boolean;
    score: number;
    public_ip: string | null;
    last_seen: number;
  };
  const listServers = async () => (await getData<{ servers: Server[] }>("/api/v1/servers", token, { origin })).servers;
  const servers = await listServers();
  expect(
    servers.some(({ online, score }) => online && score >= 950),
    "a healthy one",
  ).toBe(true);
  expect(
    servers.some(({ online, score }) => online && score < 900),
    "a busy one",
  ).toBe(true);
  expect(
    servers.some(({ online }) => !online),
    "an offline one",
  ).toBe(true);
  expect(
    servers.some(({ public_ip }) => public_ip === null),
    "one without an ip",
  ).toBe(true);
  const details = await Promise.all(
    servers.map(({ id }) => getData<{ latest_sample: unknown }>(`/api/v1/servers/${id}`, token, { origin })),
  );
  expect(
    details.some(({ latest_sample }) => latest_sample === null),
    "one that never checked in",
  ).toBe(true);

  const thisMachine = async () => (await listServers()).find(({ label }) => label === "This machine");
  if (process.platform === "linux") {
    await expect.poll(async () => (await thisMachine())?.online).toBe(true);
    expect(await getData(`/api/v1/servers/${(await thisMachine())?.id}`, token, { origin })).toMatchObject({
      facts: { kernel: release(), cores: cpus().length },
      latest_sample: { mem_used_mb: expect.any(Number) },
    });
    await expect.poll(() => demo.output()).toContain("checked in by public/agent.sh");
  } else {
    expect(demo.output()).toContain('"This machine" is left out');
  }

  const { services } = await getData<{ services: { id: number; status: string; error: string | null }[] }>(
    "/api/v1/game-services",
    token,
    { origin },
  );
  expect(new Set(services.map(({ status }) => status)).size).toBe(6);
  expect(services.some(({ error }) => error !== null)).toBe(true);
  const active = services.find(({ status }) => status === "active");
  type Series = { series: { ts: number; node_id: number; latency_ms: number | null }[] };
  const askForWeek = () => getData<Series>(`/api/v1/game-services/${active?.id}/metrics?range=7d`, token, { origin });
  // The last hour is there at once, the week arrives behind it.
  expect((await askForWeek()).series.length).toBeGreaterThan(100);
  await expect
    .poll(async () => (await askForWeek()).series.length, { intervals: [2 * SECOND], ...SLOW })
    .toBeGreaterThan(25_000);
  const week = await askForWeek();
  expect(week.series.length, "there are gaps").toBeLessThan(3 * 7 * 24 * 60);
  expect(new Set(week.series.map(({ node_id }) => node_id)).size).toBe(3);
  expect(week.series.some(({ latency_ms }) => latency_ms === null)).toBe(true);
  const lastInterval = week.series.at(-1)?.ts ?? 0;
  expect(Date.now() - lastInterval, "up to the last finished minute").toBeLessThan(150 * SECOND);

  // Of simulated daemons: this machine's own is real.
  const lastSeen = async () =>
    Math.max(...(await listServers()).flatMap(({ label, last_seen }) => (label === "This machine" ? [] : [last_seen])));
  const seenBefore = await lastSeen();
  const slowly = { intervals: [2 * SECOND], ...SLOW };
  await expect.poll(lastSeen, slowly).toBeGreaterThan(seenBefore);
  const lastHour = `/api/v1/game-services/${active?.id}/metrics?range=1h`;
  const newestInterval = async () => (await getData<Series>(lastHour, token, { origin })).series.at(-1)?.ts ?? 0;
  await expect.poll(newestInterval, slowly).toBeGreaterThan(lastInterval);

  await signIn(page, origin);
  const sentPage = await expectTestsToArrive(page, origin, demo);
  expect(await demo.stop()).toBe(0);
  await expect.poll(() => started.filter(isAlive)).toEqual([]);
  expect(await tryToConnect("127.0.0.1", Number(new URL(sentPage).port))).toBe("ECONNREFUSED");

  const second = await runDemo({ DATA_DIR: dir, PORT: String(port) });
  expect(second.output()).toContain("5 of 5: starting");
  expect(second.output()).not.toContain("2 of 5");
  const again = /cpat_\w+/.exec(second.output())?.[0] ?? "";
  expect(again).not.toBe(token);
  const kept = await getData<{ servers: { id: number }[] }>("/api/v1/servers", again, { origin });
  expect(kept.servers.map(({ id }) => id)).toEqual(servers.map(({ id }) => id));
  expect((await fetch(`${origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(401);
  await expectTestsToArrive(page, origin, second);
  await second.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel("E-mail").fill("ada@demo.example");
  await page.getByLabel("Password").fill("ada-demo-password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("banner")).toContainText("ada@demo.example");
}

/** Sends a test by each channel of the demo, and sees it on the page of what was sent. Returns its address. */
async function expectTestsToArrive(page: Page, origin: string, { output }: Demo): Promise<string> {
  const [sentPage = ""] = /(?<=^Sent messages )http:\/\/127\.0\.0\.1:\d+/m.exec(output()) ?? [];
  for (const channel of ["Mail", "Webhook"]) {
    await page.goto(origin + NOTICE_PAGE);
    await page.getByRole("article", { name: channel }).getByRole("button", { name: "Send a test" }).click();
    await expect(page.getByText("A test is on its way.")).toBeVisible();
    await page.goto(sentPage);
    // It shows what arrives while it is open.
    const message = page.getByRole("article", { name: `${channel}: ` });
    const arrived = message.filter({ hasText: `Test of the channel ${channel}` });
    await expect(arrived).toHaveCount(1);
    // Its links lead to where the demo says that the console is.
    await expect(arrived).toContainText(origin + NOTICE_PAGE);
  }
  return sentPage;
}

test("elsewhere than on Linux this machine is left out of the demo, and one line says why", {
  tag: "@one-engine",
}, async () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform") ?? {};
  Object.defineProperty(process, "platform", { ...platform, value: "darwin" });
  try {
    const { startThisMachine } = await import("@/prisma/demo/this-machine");
    const { line, stop } = await startThisMachine("http://127.0.0.1:1");
    expect(await line).toBe('"This machine" is left out: its daemon reads /proc, which Linux alone has.');
    await stop();
  } finally {
    Object.defineProperty(process, "platform", platform);
  }
});

test("npm run demo with DATABASE_URL puts the whole demo into that database, in every state that there is", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  const port = await freePort();
  const demo = await runDemo({ DATABASE_URL: database.url, PORT: String(port) });
  const client = new pg.Client(database.url);
  await client.connect();
  const countOf = async (sql: string): Promise<number> =>
    (await client.query(`select count(*)::int as count from ${sql}`)).rows[0].count;
  const valuesOf = async (sql: string): Promise<unknown[]> =>
    (await client.query({ text: `select distinct ${sql} order by 1`, rowMode: "array" })).rows.map(([value]) => value);
  const theServer = async (condition: string): Promise<number> => {
    const { rows } = await client.query(
      `select id from (
         select *, (select count(*) from telemetry_samples where server_id = s.id) as samples,
           (select disk_used_pct from telemetry_samples where server_id = s.id order by ts desc limit 1) as disk_used_pct
         from servers s where label <> 'This machine') as server where ${condition}`,
    );
    expect(rows, condition).toHaveLength(1);
    return rows[0].id;
  };
  try {
    expect(await countOf("accounts")).toBeGreaterThanOrEqual(6);
    expect(await valuesOf("role::text from accounts")).toEqual(["admin", "customer", "support"]);
    expect(await countOf("accounts where role = 'customer'")).toBeGreaterThanOrEqual(2);
    expect(await countOf("accounts where disabled_at is not null")).toBe(1);

    expect(await countOf("servers where label <> 'This machine'")).toBe(12);
    const hasSamples = "exists (select 1 from telemetry_samples where server_id = s.id)";
    expect(await countOf(`servers s where facts = '{}' and ${hasSamples}`)).toBe(0);
    expect(await countOf("servers where public_ip is null")).toBeGreaterThanOrEqual(2);
    const stopped = await theServer("samples > 0 and last_seen_at < now() - interval '2 hours'");
    const neverSeen = await theServer("samples = 0 and last_seen_at = created_at");
    const full = await theServer("disk_used_pct > 90");
    const token = /cpat_\w+/.exec(demo.output())?.[0] ?? "";
    const origin = `http://127.0.0.1:${port}`;
    type Detail = { online: boolean; score_notes: string[]; latest_sample: unknown };
    const detailOf = (id: number) => getData<Detail>(`/api/v1/servers/${id}`, token, { origin });
    expect(await detailOf(stopped)).toMatchObject({ online: false, latest_sample: { cpu_pct: expect.any(Number) } });
    expect(await detailOf(neverSeen)).toMatchObject({ online: false, latest_sample: null });
    expect((await detailOf(full)).score_notes).toContainEqual(
      expect.stringMatching(/^Disk: 9[0-9](?:\.\d+)? % full \(full score up to 70 %\); costs \d+ points\.$/),
    );

    // Charts of a day, and those of the day before that it is compared with, are drawn from what was measured.
    const reporting = await countOf("servers where label <> 'This machine' and facts <> '{}'");
    await expect
      .poll(
        () => countOf("(select server_id from telemetry_samples where ts < now() - interval '48 hours' group by 1) s"),
        SLOW,
      )
      .toBe(reporting);
    expect(await countOf("telemetry_samples where cpu_pct is null")).toBe(0);

    // The parts of a page that tell the same thing agree: keys and check-ins, tokens and their visitors, days and totals.
    expect(
      await countOf(`servers s join server_keys k on k.server_id = s.id
        where label <> 'This machine' and ${hasSamples} and k.last_used_at is distinct from s.last_seen_at
        and (k.last_used_at is null or abs(extract(epoch from k.last_used_at - s.last_seen_at)) > 90)`),
    ).toBe(0);
    expect(
      await countOf(`access_tokens t join token_visitors v on v.token_id = t.id
        where t.name <> 'demo'
        and (v.last_seen_at > greatest(t.last_used_at, t.last_refused_at) or v.first_seen_at < t.first_used_at)`),
    ).toBe(0);
    const dayOf = "from token_use_hours h where h.token_id = t.id and h.hour > now() - interval '24 hours'";
    expect(
      await countOf(`access_tokens t where last_used_at > now() - interval '22 hours' and name <> 'demo'
        and coalesce((select sum(requests - limited) ${dayOf}), 0) = 0`),
    ).toBe(0);
    expect(
      await countOf(`access_tokens t where last_refused_at > now() - interval '22 hours'
        and coalesce((select sum(refused) ${dayOf}), 0) not between 1 and refused_count`),
    ).toBe(0);
    const { limit } = API_REQUESTS;
    expect(
      await countOf(`token_use_hours where peak > ${limit} and limited < peak - ${limit} or limited > requests`),
    ).toBe(0);

    expect(await valuesOf("status::text from benchmark_runs")).toEqual(["done", "pending", "running"]);
    expect(await countOf("benchmark_runs where status = 'done' and total is not null and network is null")).toBe(1);
    expect(await countOf("benchmark_runs where status = 'done' and disk is null and total is null")).toBe(2);

    expect(await countOf("game_services")).toBe(8);
    expect(await valuesOf("status::text from game_services")).toEqual([
      "active",
      "configuring",
      "deleting",
      "disabled",
      "failed",
      "pending_config",
    ]);
    expect(await countOf("game_services where error is not null")).toBe(1);
    expect(await countOf("game_services where support_access")).toBe(1);
    expect(await valuesOf("role::text from service_grants g join accounts a on a.id = g.account_id")).toEqual([
      "customer",
      "support",
    ]);
    expect(await valuesOf("status::text from tickets where service_id is not null")).toEqual(["closed", "open"]);
    expect(await valuesOf("node_id from metric_samples")).toEqual([1, 2, 3]);
  } finally {
    await client.end();
    await demo.stop();
    await database.stop();
  }
});

test("the demo prints its address with the last hour behind it, before anything of earlier days is written", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  // It takes two hours of each server and service, and refuses the rest: a demo that wrote that first would end here.
  for (const [table, id] of [
    ["metric_samples", "service_id"],
    ["telemetry_samples", "server_id"],
  ]) {
    await runSql(
      database.url,
      `create function refuse_${table}() returns trigger language plpgsql as $$ begin
         if exists (select from ${table} t where t.${id} = new.${id}
           and t.ts not between new.ts - interval '2 hours' and new.ts + interval '2 hours')
         then raise exception 'too early'; end if;
         return new;
       end $$;
       create trigger refuse before insert on ${table} for each row execute function refuse_${table}();`,
    );
  }
  const port = await freePort();
  const demo = await runDemo({ DATABASE_URL: database.url, PORT: String(port) });
  try {
    const token = /cpat_\w+/.exec(demo.output())?.[0] ?? "";
    const ask = <Data>(path: string) => getData<Data>(path, token, { origin: `http://127.0.0.1:${port}` });
    const { services } = await ask<{ services: { id: number; status: string }[] }>("/api/v1/game-services");
    const active = services.find(({ status }) => status === "active");
    const { series } = await ask<{ series: unknown[] }>(`/api/v1/game-services/${active?.id}/metrics?range=1h`);
    expect(series.length).toBeGreaterThan(100);
    // Only then it tries.
    await expect.poll(demo.output).toMatch(/writing the past.*too early/);
  } finally {
    await demo.stop();
    await database.stop();
  }
});

test("npm run demo -- --edge: this machine is an edge node with a real HAProxy, until the demo ends", {
  tag: "@one-engine",
}, async () => {
  needs("haproxy", "nft", "namespaces");
  const database = await createTestDatabase();
  const variables = { DATABASE_URL: database.url, PORT: String(await freePort()) };
  const demo = await runCommand("demo", variables, 'Edge node "this-machine"', ["--edge"]);
  const acknowledged = async () =>
    (
      await runSql<{ count: number }>(
        database.url,
        `select count(*)::int as count from edge_acknowledgements a join edge_nodes n on n.id = a.node_id
         where n.name = 'this-machine' and a.version > 0 and a.error is null`,
      )
    )[0]?.count;
  const [, port = "", logFile = ""] = /connect to 127\.0\.0\.1:(\d+) .*log to (\S+)\)/.exec(demo.output()) ?? [];
  try {
    // What the node says stands in the report of a failure.
    const state = async () => (((await acknowledged()) ?? 0) > 3 ? "serves" : readIfThere(logFile));
    await expect.poll(state).toBe("serves");
    expect(await tryToConnect("127.0.0.1", Number(port))).toBe("connected");
    expect(await demo.stop()).toBe(0);
    expect(await tryToConnect("127.0.0.1", Number(port))).toBe("ECONNREFUSED");
    expect(execFileSync("nft", ["list", "tables"], { encoding: "utf8" })).not.toContain("console_edge");
  } finally {
    demo.child.kill();
    await database.stop();
  }
});

test("npm run dev: the demo under the development server, API and pages, a clean stop, and no file of the project changed", {
  tag: "@one-engine",
}, async ({ page }) => {
  const database = await createTestDatabase();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // The last Next process wrote this file. It is not in git.
  const routeTypes = readIfThere("next-env.d.ts");
  const filesBefore = projectFiles();
  const dev = await runCommand("dev", { DATABASE_URL: database.url, PORT: String(port) }, "Ctrl-C stops everything");
  const started = childrenOf(dev.child.pid);
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });
  try {
    const token = /cpat_\w+/.exec(dev.output())?.[0] ?? "";
    expect(await getData("/api/v1/me", token, { origin })).toMatchObject({ email: "ada@demo.example" });
    const { servers } = await getData<{ servers: unknown[] }>("/api/v1/servers", token, { origin });
    expect(servers.length).toBeGreaterThanOrEqual(6);
    expect((await call("/api/v1/me", null, { origin })).status).toBe(401);

    await signIn(page, origin);
    await expectTestsToArrive(page, origin, dev);
    expect(refused).toEqual([]);
  } finally {
    expect(await dev.stop()).toBe(0);
    await database.stop();
    rmSync(join(DIST_DIRS.test, "dev"), { recursive: true, force: true });
    if (routeTypes !== null) writeFileSync("next-env.d.ts", routeTypes);
  }
  await expect.poll(() => started.filter(isAlive)).toEqual([]);
  expect(projectFiles()).toEqual(filesBefore);
});

/** The files that a development server could change, and the build that other tests use. */
function projectFiles() {
  const names = ["tsconfig.json", "package.json", join(DIST_DIRS.test, "BUILD_ID")];
  return names.map((name) => ({ name, text: readIfThere(name) }));
}

function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

test("the demo refuses a database with accounts that it did not make, and changes nothing in it", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  await insertCaller(database.url);
  try {
    await expect(runDemo({ DATABASE_URL: database.url, PORT: String(await freePort()) })).rejects.toThrow(
      /This database holds an account that the demo did not make\. .* nothing was changed\./,
    );
    const [counts] = await runSql(
      database.url,
      "select (select count(*) from accounts)::int a, (select count(*) from servers)::int s",
    );
    expect(counts).toEqual({ a: 1, s: 0 });
  } finally {
    await database.stop();
  }
});

test.describe("npm start", () => {
  const ownIps = () =>
    Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
      .map(({ address }) => address);
  /** What this machine's ips answer at a port. Other tests make and remove interfaces meanwhile; those do not count. */
  const outcomesOf = async (port: number) => {
    const outcomes: Record<string, string> = {};
    for (const ip of ownIps()) {
      const outcome = await tryToConnect(ip, port);
      if (ownIps().includes(ip)) outcomes[ip] = outcome;
    }
    return { loopback: await tryToConnect("127.0.0.1", port), others: [...new Set(Object.values(outcomes))] };
  };
  test("is production: no demo data, the embedded database named in one line, accounts from the command line, and only this machine let in; and when that database ends, so does it, with a sentence and a code", {
    tag: "@one-engine",
  }, async () => {
    test.skip(ownIps().length === 0, "this machine has no ip but the loopback one");
    const dir = mkdtempSync(join(tmpdir(), "console-start-"));
    const port = await freePort();
    const variables = { DATA_DIR: dir, PORT: String(port) };
    const app = await runCommand("start", { DATABASE_URL: "embedded", ...variables }, "Console API on");
    try {
      expect(app.output()).toContain(`Using the embedded database in ${dir}.`);
      const list = execFileSync(process.execPath, ["scripts/run.mjs", "account", "list"], {
        encoding: "utf8",
        env: { ...process.env, DATABASE_URL: "", DATA_DIR: dir },
      });
      expect(list).toContain("There are no accounts yet.");
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      expect(await outcomesOf(port)).toEqual({ loopback: "connected", others: ["ECONNREFUSED"] });

      const client = new pg.Client(String(await findRunningDatabase(dir)));
      client.on("error", () => {});
      await client.connect();
      // PGlite does not survive a recursion without end.
      await client.query("create function endless(n int) returns int language sql as 'select endless($1 + 1)'");
      const [code] = await Promise.all([
        app.ended,
        expect(client.query("select endless(1)")).rejects.toThrow("terminated"),
      ]);
      expect(code).toBe(1);
      expect(app.output()).toContain(
        "The embedded database has ended: PGlite answers no more. Its files stay; start again.",
      );
    } finally {
      await app.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  test("lets others in where HOST says so, and starts a server that dies again and says so; the fifth death in a minute is the end, with an exit code", {
    tag: "@one-engine",
  }, async () => {
    const database = await createTestDatabase();
    const port = await freePort();
    const variables = { DATABASE_URL: database.url, PORT: String(port), HOST: "0.0.0.0" };
    const app = await runCommand("start", variables, "Console API on");
    const countOf = (text: string) => app.output().split(text).length - 1;
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      expect(await outcomesOf(port)).toEqual({
        loopback: "connected",
        others: ownIps().length > 0 ? ["connected"] : [],
      });
      for (let death = 1; death <= 5; death++) {
        await expect.poll(isReady).toBe(true);
        // A server announces its start when the process that adds listeners has ended. Until then it has not started.
        await expect.poll(() => childrenOf(app.child.pid).flatMap((pid) => childrenOf(pid))).toEqual([]);
        for (const pid of childrenOf(app.child.pid)) process.kill(pid, "SIGKILL");
        if (death < 5) await expect.poll(() => countOf("(SIGKILL). It is started again.")).toBe(death);
      }
      expect(await app.ended).toBe(1);
      expect(app.output()).toMatch(/\(SIGKILL\), 5 times within a minute. It is not started again\."}\n$/);
      for (const line of app.output().trim().split("\n")) expect(() => JSON.parse(line), line).not.toThrow();
    } finally {
      app.child.kill();
      await database.stop();
    }
  });
});

function tryToConnect(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.once("error", ({ code = "failed" }: NodeJS.ErrnoException) => resolve(code));
  });
}

test("npm start refuses a PostgreSQL database that lacks the migrations, and says what to run", {
  tag: "@one-engine",
}, async () => {
  const database = await createTestDatabase();
  await runSql(database.url, "delete from _prisma_migrations");
  try {
    const port = String(await freePort());
    await expect(runCommand("start", { DATABASE_URL: database.url, PORT: port }, "Console API on")).rejects.toThrow(
      /The database is not up to date; run \\"npm run migrate\\": it lacks \d+, from \w+ on\./,
    );
  } finally {
    await database.stop();
  }
});

/** Runs the commands of the README's API section and compares their answers with the README. */
async function expectReadmeToBeTrue(origin: string, token: string): Promise<void> {
  const [, section = ""] = /^## The API\n(.*?)^## /ms.exec(readFileSync("README.md", "utf8")) ?? [];
  const examples = [...section.matchAll(/```sh\n(curl .*?)```\n```json\n(.*?)```/gs)];
  expect(examples.length).toBeGreaterThan(0);
  for (const [, command = "", shown = ""] of examples) {
    const text = execFileSync("bash", ["-c", command], {
      env: { ...process.env, BASE: origin, TOKEN: token },
    }).toString();
    // Times depend on when the demo was created.
    const timeless = (json: string) => JSON.parse(json, (key, value) => (key.endsWith("_at") ? typeof value : value));
    expect(timeless(text), command).toEqual(timeless(shown));
  }
  for (const [, path = ""] of section.matchAll(/http:\/\/127\.0\.0\.1:3000(\/[\w/]+)/g)) {
    // While it writes its past, a busy machine may say 503.
    await expect.poll(async () => (await fetch(origin + path)).status, path).toBe(200);
  }
}
