import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { atEnd, expect, own, ownFolder, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { startRedis } from "@/e2e/support/redis-server";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { DIST_DIRS } from "@/scripts/build";

// Runs the README's own commands in a fresh copy of the checkout, as an operator would. What `npm ci && npm run build` makes
// there is what the same commands have made here: `.ci/run` and `npm test` type them.

const PRODUCTION = "Going to production";
const MACHINES = "Your own machines";
/** Files in the checkout that a fresh one does not have. */
const MADE = /^(?:node_modules|\.next.*|\.git|\.data|test-results|.*\.tsbuildinfo|next-env\.d\.ts)$/;

test("the README's way to production works as typed, from build to reporting machine", async () => {
  needs("curl", "redis-server");
  const copy = ownFolder();
  cpSync(".", copy, { recursive: true, filter: (path) => !MADE.test(relative(".", resolve(path))) });
  linkPackages(copy);
  cpSync(DIST_DIRS.test, join(copy, ".next"), { recursive: true, verbatimSymlinks: true });
  const database = await own(createTestDatabase());
  // A new database is empty: the README's commands include the migrations.
  await runSql(database.url, "drop schema public cascade; create schema public");
  const redis = await own(startRedis());
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PORT: String(port), CONSOLE_DIST_DIR: "", DATABASE_URL: "" };
  const typed = (line: string) =>
    line
      .replace("postgresql://…", database.url)
      .replace("redis://…", redis.url)
      .replace(/https:\/\/console\.example\.com\/(?=agent|ingest)/, `${origin}/`);
  const run = (line: string, variables: Record<string, string> = {}) =>
    execFileSync("bash", ["-ec", typed(line)], { cwd: copy, env: { ...env, ...variables }, encoding: "utf8" });

  const [build, ...lines] = commandsOf(PRODUCTION);
  expect(build).toBe("npm ci --omit=dev && npm run build");
  const [setUrl = ""] = lines.filter((line) => line.startsWith("export DATABASE_URL="));
  const output: Record<string, string> = {};
  // A group of its own, so that one signal reaches the shell and the server.
  const start = (line: string) =>
    spawn("bash", ["-ec", typed(`${setUrl}\n${line}`)], {
      cwd: copy,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  let server: ReturnType<typeof start> | undefined;
  atEnd(() => stop(server));
  let said = "";
  for (const line of lines) {
    if (!line.includes("server/start.mjs")) {
      output[line] = run(`${setUrl}\n${line}`);
      continue;
    }
    server = start(line);
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (said += chunk));
    await expect.poll(() => said, SLOW).toContain('"event":"listening"');
  }
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  expect(Object.values(output).join("\n")).toContain("Created ann@example.com (id 1, admin).");
  const key = /csrv_\w{36}/.exec(Object.values(output).join("\n"))?.[0] ?? "";

  const machine = commandsOf(MACHINES).filter((line) => line.startsWith("curl "));
  expect(machine).toHaveLength(2);
  const answers = machine.map((line) => run(line, { KEY: key }));
  expect(answers.at(-1)).toBe('{"data":{"stored":true}}');
  expect(readFileSync(join(copy, "agent.sh"), "utf8")).toBe(readFileSync("public/agent.sh", "utf8"));

  await stop(server);
  for (const line of said.trim().split("\n")) expect(() => JSON.parse(line), line).not.toThrow();
});

/** Stops a shell and what it has started. */
async function stop(shell: ChildProcess | undefined): Promise<void> {
  if (!shell?.pid || shell.exitCode !== null || shell.signalCode !== null) return;
  process.kill(-shell.pid, "SIGTERM");
  await once(shell, "close");
}

/** What `npm ci` would put there. To unpack it a second time takes a core half a minute. */
function linkPackages(copy: string): void {
  const packages = join(copy, "node_modules");
  // Without links where the folder for temporary files is on another disk.
  if (spawnSync("cp", ["-Rl", "node_modules", packages]).status === 0) return;
  rmSync(packages, { recursive: true, force: true });
  cpSync("node_modules", packages, { recursive: true, verbatimSymlinks: true });
}

/** The commands of a section without their comments. Joins continued lines. */
function commandsOf(title: string): string[] {
  const part = readFileSync("README.md", "utf8").split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...part.matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block = ""]) => block.replaceAll("\\\n", "").split("\n"))
    .map((line) => line.replace(/ +# .*$/, "").trim())
    .filter(Boolean);
}
