import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { unprivilegedUser, untilReady } from "./postgres-server";
import { findPostgres } from "./programs.mjs";
import { createTemplate } from "./test-database";

// Once for all workers of a run: a server, and on it a migrated database that each worker copies. The server is the one of
// TEST_DATABASE_URL, else an installed PostgreSQL. Where there is none, or that says "embedded", each worker has an embedded
// database.

declare module "vitest" {
  interface ProvidedContext {
    /** Empty: the embedded database. */
    postgresUrl: string;
    template: string;
  }
}

/**
 * The server ends, and its files go, when the runner closes the pipe: at the end, and when it is killed. What the demo writes
 * would be compiled again for each statement, which takes forty times as long as to run it.
 */
const UNTIL_PIPE_CLOSES = `"$0/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c full_page_writes=off \
  -c synchronous_commit=off -c jit=off -c max_connections=300 & server=$!
read -r _
kill -INT $server
wait $server
rm -rf "$1"`;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await import("./no-variables");
  const { TEST_DATABASE_URL = "" } = process.env;
  const installed = TEST_DATABASE_URL ? null : findPostgres();
  const server = installed ? await startServer(installed) : null;
  process.env.E2E_POSTGRES_URL = server?.url ?? TEST_DATABASE_URL.replace(/^embedded$/, "");
  const template = await createTemplate();
  project.provide("postgresUrl", process.env.E2E_POSTGRES_URL);
  project.provide("template", process.env.E2E_TEMPLATE ?? "");
  return async () => {
    await template.remove();
    await server?.stop();
  };
}

/** On a socket in its own folder, so that no two runs meet at a port. */
async function startServer(bin: string) {
  const user = unprivilegedUser();
  const dir = mkdtempSync(join(tmpdir(), "console-tests-"));
  if (user) chownSync(dir, user.uid, user.gid);
  const options = ["-D", join(dir, "data"), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8"];
  const made = spawnSync(join(bin, "initdb"), options, { ...user, cwd: dir, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const child = spawn("sh", ["-c", UNTIL_PIPE_CLOSES, bin, dir], {
    ...user,
    cwd: "/",
    // A terminal's Ctrl-C reaches the whole group; the server ends after the workers.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const url = `postgresql://postgres@localhost/postgres?host=${dir}`;
  await untilReady(url, child);
  return {
    url,
    async stop() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}
