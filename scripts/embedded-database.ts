import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { CommandError } from "./command-error";
import { servePGlite } from "./pglite-server";

export type EmbeddedDatabase = { url: string; stop(): Promise<void> };

type Owner = { pid: number; url: string };

/**
 * PostgreSQL as WebAssembly, served on a free loopback port by this process. Its files are in `dataDir`; without one
 * it lives in memory.
 * @throws CommandError when another process has the same files open: two at once would destroy them.
 */
export async function startEmbeddedDatabase(dataDir?: string): Promise<EmbeddedDatabase> {
  const release = dataDir ? claim(dataDir) : undefined;
  try {
    const db = await PGlite.create(dataDir ? { dataDir: join(dataDir, "postgres") } : {});
    const server = await servePGlite(db, "127.0.0.1");
    const url = `postgresql://postgres@${server.host}:${server.port}/postgres`;
    release?.announce(url);
    return {
      url,
      async stop() {
        await server.stop();
        await db.close();
        release?.free();
      },
    };
  } catch (error) {
    release?.free();
    throw error;
  }
}

/** The address of the embedded database that another process serves from these files; null when none does. */
export function findRunningDatabase(dataDir: string): string | null {
  const owner = readOwner(ownerFile(dataDir));
  return owner && isAlive(owner.pid) ? owner.url || null : null;
}

function claim(dataDir: string) {
  const file = ownerFile(dataDir);
  mkdirSync(dataDir, { recursive: true });
  const owner = readOwner(file);
  if (owner && isAlive(owner.pid)) {
    throw new CommandError(
      `The embedded database in ${dataDir} is in use by process ${owner.pid}. Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  rmSync(file, { force: true });
  const announce = (url: string, flag?: "wx") =>
    writeFileSync(file, JSON.stringify({ pid: process.pid, url } satisfies Owner), { flag });
  announce("", "wx");
  const free = () => rmSync(file, { force: true });
  process.once("exit", free);
  return { announce, free };
}

function ownerFile(dataDir: string): string {
  return join(dataDir, "owner.json");
}

function readOwner(file: string): Owner | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Owner;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
