import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { CommandError } from "@/scripts/command-error";
import { isAlive } from "@/scripts/lock.mjs";
import { servePGlite } from "./socket-server";

export type EmbeddedDatabase = {
  url: string;
  /** Resolves with what happened when the database has ended by itself; else never. */
  failed: Promise<Error>;
  stop(): Promise<void>;
};

/** `url` is empty until the database answers. */
type Owner = { pid: number; url: string };

/**
 * PostgreSQL as WebAssembly, served on a free loopback port by this process. Its files are in `dataDir`; without one
 * it lives in memory.
 * @throws CommandError when another process has the same files open: two at once would destroy them.
 */
export async function startEmbeddedDatabase(dataDir?: string): Promise<EmbeddedDatabase> {
  const release = dataDir ? await claim(dataDir) : undefined;
  try {
    const db = await PGlite.create(dataDir ? { dataDir: join(dataDir, "postgres") } : {});
    const server = await servePGlite(db, "127.0.0.1");
    const url = `postgresql://postgres@${server.host}:${server.port}/postgres`;
    release?.announce(url);
    return {
      url,
      failed: server.failed,
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
export async function findRunningDatabase(dataDir: string): Promise<string | null> {
  const owner = readOwner(ownerFile(dataDir));
  return owner && (await isServing(owner)) ? owner.url : null;
}

/** Makes this process the only one that opens the files, as long as it lives. */
async function claim(dataDir: string) {
  const file = ownerFile(dataDir);
  mkdirSync(dataDir, { recursive: true });
  await takeOver(file, dataDir);
  const free = () => rmSync(file, { force: true });
  process.once("exit", free);
  return { announce: (url: string) => writeFileSync(file, ownerText(url)), free };
}

async function takeOver(file: string, dataDir: string): Promise<void> {
  if (tryCreate(file)) return;
  const owner = readOwner(file);
  const isStale = owner === null || owner.pid === process.pid || !isAlive(owner.pid);
  // A number may have been given to another process since; an owner that has announced itself must also answer.
  if (owner && !isStale && (owner.url === "" || (await isServing(owner)))) throw inUse(dataDir, owner.pid);
  // Renaming picks one of several that come to this conclusion at once; the others find the name gone, or taken anew.
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    const renamed = readOwner(aside);
    rmSync(aside, { force: true });
    if (renamed?.pid !== owner?.pid) throw inUse(dataDir, renamed?.pid ?? 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (!tryCreate(file)) throw inUse(dataDir, readOwner(file)?.pid ?? 0);
}

function tryCreate(file: string): boolean {
  try {
    writeFileSync(file, ownerText(""), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

function inUse(dataDir: string, pid: number): CommandError {
  return new CommandError(
    `The embedded database in ${dataDir} is in use by process ${pid}. Stop that one first, or set DATA_DIR to another folder.`,
  );
}

/** Whether something listens where the owner said that it would. */
function isServing({ url }: Owner): Promise<boolean> {
  if (!URL.canParse(url)) return Promise.resolve(false);
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const finish = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}

function ownerText(url: string): string {
  return JSON.stringify({ pid: process.pid, url } satisfies Owner);
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
