import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { startConsoleWithBundle } from "@/e2e/support/changed-bundle";
import { childrenOf } from "@/e2e/support/child-processes";
import { expect, own, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { runInProduction, startProductionConsole } from "@/e2e/support/production-console";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { othersAre, outcomesOf } from "@/e2e/support/try-to-connect";
import { DIST_DIRS } from "@/scripts/build";

// On PostgreSQL the shared console of all tests runs like this: see e2e/support/global-setup.ts.

const BUILT = { CONSOLE_DIST_DIR: DIST_DIRS.test };
const START = "server/start.mjs";

test("commands and server run from a built checkout as a user without write access", async () => {
  const database = await own(createTestDatabase());
  await runSql(database.url, "drop schema public cascade; create schema public");
  const run = (...words: string[]) => {
    const args = words[0] === START ? words : ["scripts/run.mjs", ...words];
    return runInProduction(args, { ...BUILT, DATABASE_URL: database.url });
  };
  const { version, commit } = JSON.parse(readFileSync(`${DIST_DIRS.test}/build-info.json`, "utf8"));
  // Unknown where the sources are no checkout of git.
  expect(commit).toMatch(/^(?:unknown|[0-9a-f]{40})$/);
  const said = { code: 0, output: `console-api ${version}, commit ${commit}\n` };
  expect(await run("console", "--version")).toMatchObject(said);
  const refused = await run(START);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.output)).toMatchObject({ event: "starting", version, commit });
  expect(JSON.parse(refused.errors).detail).toMatch(
    /^The database is not up to date; run "npm run migrate": it lacks \d+, from \w+ on\.$/,
  );
  expect(await run("migrate")).toMatchObject({ code: 0, output: "The database is up to date.\n" });
  const created = await run("console", "account", "create", "ann@example.com", "--name", "Ann");
  expect(created.output).toContain("Created ann@example.com (id 1, customer).");
  expect((await run("console", "notices", "test", "ann@example.com")).errors).toContain(
    "This account has no channel that is on",
  );
  expect(await run("console", "sweep")).toMatchObject({ code: 0 });
});

test("a refused start is two lines of JSON and an exit code", async () => {
  const NOWHERE = { ...BUILT, DATABASE_URL: "postgresql://postgres@127.0.0.1:1/none" };
  const reasons: [variables: Record<string, string>, args: string[], reason: string][] = [
    [
      NOWHERE,
      ["--help"],
      'The console takes no arguments, so not "--help". Its settings are variables of the environment.',
    ],
    [BUILT, [], "DATABASE_URL is not set. Name the PostgreSQL of the console in DATABASE_URL."],
    [
      { ...BUILT, DATABASE_URL: "embedded" },
      [],
      "The embedded database is for npm run demo and npm run dev. Name the PostgreSQL of the console in DATABASE_URL.",
    ],
    [{ ...NOWHERE, CONSOLE_DIST_DIR: ".next-none" }, [], 'There is no build yet; run "npm run build".'],
  ];
  for (const [variables, args, reason] of reasons) {
    const { code, output, errors } = await runInProduction([START, ...args], { DATABASE_URL: "", ...variables });
    expect([code, JSON.parse(output).event, JSON.parse(errors).detail]).toEqual([1, "starting", reason]);
  }
});

test("a server of another build than its pages is refused in a sentence", async () => {
  const ofAnother = (text: string) => text.replace(/^.*\n/, "// Build another\n");
  await expect(startConsoleWithBundle(String(process.env.DATABASE_URL), ofAnother)).rejects.toThrow(
    'The server is not of the same build as the pages; run "npm run build".',
  );
});

test("a console is one process, logs only JSON and serves a newer database", async () => {
  needs("ss");
  const database = await own(createTestDatabase());
  const { version, commit } = JSON.parse(readFileSync(`${DIST_DIRS.test}/build-info.json`, "utf8"));
  await runSql(
    database.url,
    `insert into _prisma_migrations (id, checksum, finished_at, migration_name)
       values ('newer', 'checksum', now(), '99990101000000_of_a_newer_version')`,
  );
  const app = await startProductionConsole(database.url, { HOST: "0.0.0.0", WORKERS: "4" });
  expect(childrenOf(app.child.pid)).toEqual([]);
  // Without OPS_PORT no other than its own.
  const listening = execFileSync("ss", ["-Htlnp"], { encoding: "utf8" }).split("\n");
  const ports = listening.filter((line) => line.includes(`pid=${app.child.pid},`));
  expect(ports.map((line) => /:(\d+) /.exec(line)?.[1])).toEqual([String(app.port)]);
  expect(await outcomesOf(app.port)).toEqual({ loopback: "connected", others: othersAre("connected") });
  const pages = ["/", "/sign-in", "/docs/api", "/no-such-page", "/ops/metrics"];
  const paths = [...pages, "/openapi.json", "/healthz", "/readyz", "/api/v1/me"];
  const statuses: Record<string, number> = {};
  for (const path of paths) {
    const answer = await fetch(app.origin + path);
    statuses[path] = answer.status;
    const told = JSON.stringify([...answer.headers]) + (await answer.text());
    expect(commit !== "unknown" && told.includes(commit), `${path} names the commit`).toBe(false);
    expect([answer.headers.get("server"), answer.headers.get("x-powered-by")]).toEqual([null, null]);
  }
  expect(statuses).toMatchObject({ "/readyz": 200, "/sign-in": 200, "/ops/metrics": 404 });
  await app.stop();
  const lines = app.output().split("\n").filter(Boolean);
  for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ event: "starting", version, commit });
  expect(app.output()).toContain("WORKERS is set, and nothing reads it any more: an instance is one process, so start");
  expect(app.output()).toContain("The database is ahead of this version, up to 99990101000000_of_a_newer_version");
});

test("a console starts without PostgreSQL, lets this machine alone in, and drains on SIGTERM", async () => {
  const settings = { HOST: "", DRAIN_DELAY: "1" };
  const app = await startProductionConsole("postgresql://postgres@127.0.0.1:1/none", settings);
  const ended = once(app.child, "exit");
  expect(await outcomesOf(app.port)).toEqual({ loopback: "connected", others: othersAre("ECONNREFUSED") });
  const statusOf = async (path: string) => (await fetch(app.origin + path)).status;
  expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 503]);
  app.child.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${app.origin}/healthz`)).headers.get("connection")).toBe("close");
  expect(await ended).toEqual([0, null]);
  expect(app.output()).toContain('"event":"the database cannot be reached"');
  const lines = app
    .output()
    .split("\n")
    .filter((line) => line.includes('"event":"stopped"'));
  expect(lines).toHaveLength(1);
  const { reason, seconds, finished, cut_off } = JSON.parse(lines[0] ?? "");
  expect({ reason, cut_off }).toEqual({ reason: "SIGTERM", cut_off: 0 });
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(finished).toBeGreaterThanOrEqual(1);
});
