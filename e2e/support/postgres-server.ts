import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { migrate } from "@/scripts/database";
import { atExit } from "./at-exit";
import { freePort } from "./free-port";
import { FACT } from "./patience";
import { findPostgres } from "./programs.mjs";

/** A PostgreSQL server of the test's own, in a temporary folder. */
export type PostgresServer = {
  /** The URL of its `postgres` database. */
  url: string;
  port: number;
  /** The server process, for tests that pause it. */
  process(): ChildProcess;
  /** Stops at once, as a crash or a fail-over does. */
  kill(): Promise<void>;
  /** Starts again on the same port and files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

type Make = (data: string) => [program: string, ...args: string[]];
const INITDB: Make = (data) => ["initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8"];

/** `variables` are of its own environment. */
export function startPostgres(variables: Record<string, string> = {}): Promise<PostgresServer> {
  return startOn(INITDB, variables);
}

/** One with the tables of the console in its `postgres` database. */
export async function startMigratedPostgres(): Promise<PostgresServer> {
  const postgres = await startPostgres();
  await migrate(postgres.url);
  return postgres;
}

/** One with the files of another, such as those of a base backup. */
export function startPostgresFrom(folder: string): Promise<PostgresServer> {
  return startOn((data) => ["/bin/cp", "-a", folder, data]);
}

/** `make` is the command that makes the files: a program of PostgreSQL, or one by its whole path. */
async function startOn(make: Make, variables: Record<string, string> = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  if (!bin) throw new Error("There is no PostgreSQL server on this machine.");
  const user = unprivilegedUser();
  const dir = mkdtempSync(join(tmpdir(), "console-postgres-"));
  if (user) chownSync(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const [program, ...args] = make(data);
  const made = spawnSync(resolve(bin, program), args, { ...user, encoding: "utf8", cwd: dir });
  if (made.status !== 0) throw new Error(`${program} failed: ${made.stdout}${made.stderr}`);

  const port = await freePort();
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  let child = await launch();
  // Its processes may still be writing when it is removed at an exit.
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
  atExit(() => {
    stopAtOnce();
    remove();
  });

  async function launch(): Promise<ChildProcess> {
    const program = join(bin as string, "postgres");
    const args = ["-D", data, "-p", String(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"];
    const env = { ...process.env, ...variables };
    const server = spawn(program, args, { ...user, stdio: "ignore", cwd: dir, env });
    await untilReady(url, server);
    return server;
  }

  async function kill(): Promise<void> {
    const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
    stopAtOnce();
    await exited;
  }

  /** Stops without notice to clients. Wakes a paused process, which could not handle the signal otherwise. */
  function stopAtOnce(): void {
    child.kill("SIGQUIT");
    child.kill("SIGCONT");
  }

  return {
    url,
    port,
    process: () => child,
    kill,
    async restart() {
      child = await launch();
    },
    async stop() {
      await kill();
      remove();
    },
  };
}

/** PostgreSQL and PgBouncer refuse to run as root; Debian's package brings a user for it. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}

export async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (const end = Date.now() + FACT; Date.now() < end; ) {
    if (server.exitCode !== null) throw new Error(`postgres ended with code ${server.exitCode}.`);
    const client = new pg.Client(url);
    try {
      await client.connect();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new Error("postgres did not become ready.");
}
