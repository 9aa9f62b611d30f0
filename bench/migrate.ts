import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@/e2e/support/free-port";
import { startPostgres } from "@/e2e/support/postgres-server";
import { has } from "@/e2e/support/programs.mjs";
import { runSql } from "@/e2e/support/run-sql";
import { PlainError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";
import { end } from "@/prisma/demo/edge-programs";
import type { Answer } from "@/scripts/soak/judge";
import { type Ask, addPeople, Clients, type People } from "@/scripts/soak/load";
import { CHECK_IN } from "./check-in";

/** The build that serves meanwhile: the first whose database `migrate` upgrades beside it. */
const EARLIER = "af92d18";
const SIZES = [200_000, 2_000_000];
const SERVERS = 1000;
/**
 * Clients of each kind, and the pause of each after an answer (ms): about 20 requests a second, half of what two cores
 * can do beside their clients.
 */
const CLIENTS = 6;
const PAUSE = 1000;
/** What is measured before, and after, without a migration (ms). */
const CALM = 10 * SECOND;

/**
 * `npm run migrate` on a database of an earlier version, beside its own build that serves lists, pages, endpoint 7 and
 * check-ins: the seconds it takes, and how long a request waited at most, by rows.
 */
export async function migrateBeside(): Promise<(readonly string[])[]> {
  if (!has("postgres")) throw new PlainError("There is no PostgreSQL server on this machine.");
  const dir = mkdtempSync(join(tmpdir(), "console-earlier-"));
  try {
    const earlier = join(dir, EARLIER);
    build(earlier);
    const rows: string[][] = [];
    for (const size of SIZES) rows.push(await measure(earlier, size));
    const titles = [
      "samples",
      "migrate",
      "requests",
      "failed",
      "before",
      "beside it",
      "longest before",
      "longest beside it",
      "starts again",
    ];
    return [titles, ...rows];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function build(folder: string): void {
  mkdirSync(folder);
  run(".", "sh", "-c", `git archive ${EARLIER} | tar -x -C "${folder}"`);
  run(folder, "npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
  run(folder, process.execPath, "scripts/run.mjs", "build");
}

async function measure(earlier: string, size: number): Promise<string[]> {
  const postgres = await startPostgres();
  let app: ChildProcess | undefined;
  try {
    const env = { ...process.env, DATABASE_URL: postgres.url, PORT: String(await freePort()), HOST: "127.0.0.1" };
    run(earlier, process.execPath, "scripts/run.mjs", "migrate", env);
    const people = await addPeople(postgres.url);
    await addSamples(postgres.url, size);
    app = await start(earlier, env);
    const load = clientsOf(Number(env.PORT), people);
    await sleep(CALM);
    const before = load.answers.splice(0);
    const began = performance.now();
    await migrate(env);
    const seconds = (performance.now() - began) / SECOND;
    const beside = load.answers.splice(0);
    await load.stop();
    await end(app);
    app = await start(earlier, env);
    const loadAgain = clientsOf(Number(env.PORT), people);
    await sleep(CALM);
    await loadAgain.stop();
    const again = loadAgain.answers;
    return [
      size.toLocaleString("en"),
      `${seconds.toFixed(1)} s`,
      String(beside.length),
      String(countFailed([...beside, ...again])),
      ...[before, beside].map(describeWaits),
      ...[before, beside].map(describeLongest),
      again.length > 0 && countFailed(again) === 0 ? "yes" : "no",
    ];
  } finally {
    if (app) await end(app);
    await postgres.stop();
  }
}

async function addSamples(url: string, size: number): Promise<void> {
  await runSql(
    url,
    `insert into servers (account_id, label, hostname) select 1 + i % 10, 'more ' || i, 'h' from generate_series(1, ${SERVERS}) i;
     insert into telemetry_samples (server_id, ts, cpu_pct, load5, mem_used_mb, mem_total_mb)
       select s.id, now() - i * interval '30 s', 5, 0.5, 100, 200
       from servers s, generate_series(1, ${Math.ceil(size / SERVERS)}) i where s.label like 'more %';
     insert into metric_samples select s.id, now() - i * interval '1 minute', 1, 1, 2, 3, 4, 5.5
       from game_services s, generate_series(1, 1440) i;
     analyze`,
  );
}

async function start(folder: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "start"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  while (!output.includes("Console API on")) {
    if (child.exitCode !== null) throw new PlainError("The earlier version did not start.");
    await sleep(100);
  }
  return child;
}

async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "migrate"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new PlainError("npm run migrate has failed.");
}

/** Says each failure as well. */
function countFailed(answers: readonly Answer[]): number {
  const failed = answers.filter(({ status }) => status !== 200);
  for (const { what, status, from, to } of failed) console.error(`${what}: ${status} after ${to - from} ms`);
  return failed.length;
}

/** Half of the requests, and 99 of 100, were answered within this. */
function describeWaits(answers: readonly Answer[]): string {
  const sorted = answers.map(({ from, to }) => to - from).sort((a, b) => a - b);
  const within = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return `${within(0.5)} and ${within(0.99)} ms`;
}

function describeLongest(answers: readonly Answer[]): string {
  const longest = (asked: string) =>
    Math.max(...answers.flatMap(({ what, from, to }) => (what === asked ? to - from : [])));
  return [...new Set(answers.map(({ what }) => what))].map((what) => `${what} ${longest(what)}`).join(", ");
}

/** Clients that ask in a steady mixture. They begin one after the other. */
function clientsOf(port: number, people: People): Clients {
  const clients = new Clients([`http://127.0.0.1:${port}`]);
  const of = <Item>(all: readonly Item[], turn: number) => all[turn % all.length] as Item;
  const kinds: ((turn: number) => Omit<Ask, "expected">)[] = [
    (turn) => ({ what: "list", path: "/api/v1/servers", token: of(people.polite, turn) }),
    // The n-th token belongs to account 1 + n % 10, which has the service of the same number.
    (turn) => ({
      what: "endpoint 7",
      path: `/api/v1/game-services/${of(people.services, turn + 1)}/metrics?range=24h`,
      token: of(people.polite, turn),
    }),
    (turn) => ({
      what: "check-in",
      path: "/ingest/v1/check-ins",
      method: "POST",
      token: of(people.keys, turn),
      headers: { "Content-Type": "application/json" },
      body: CHECK_IN,
    }),
    (turn) => ({
      what: "page",
      path: "/dashboard",
      headers: { Cookie: `${SESSION_COOKIE}=${of(people.sessions, turn)}` },
    }),
  ];
  for (const [kind, ask] of kinds.entries()) {
    // Pages take most of a core.
    const every = kind === 3 ? 8 * PAUSE : PAUSE;
    for (let n = 0; n < CLIENTS; n++) {
      clients.add((turn) => ({ ...ask(turn), expected: [200] }), every, (n / CLIENTS) * every);
    }
  }
  return clients;
}

function run(cwd: string, command: string, ...rest: (string | NodeJS.ProcessEnv)[]): void {
  const args = rest.filter((one) => typeof one === "string");
  const env = (rest.find((one) => typeof one !== "string") ?? process.env) as NodeJS.ProcessEnv;
  const { status, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new PlainError(`${command} ${args.join(" ")} has failed:\n${stderr}`);
}
