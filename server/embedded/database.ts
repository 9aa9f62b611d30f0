import { renameSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { UnusableDatabaseError } from "../../lib/failures";
import { claimFiles, withoutNames } from "./owner-file";
import { servePGlite } from "./socket-server";

export type EmbeddedDatabase = {
  url: string;
  /** Resolves with what happened when the database has ended by itself; else never. */
  failed: Promise<Error>;
  stop(): Promise<void>;
};

/**
 * PostgreSQL as WebAssembly, served on a free loopback port by this process. Its files are in `dataDir`; without one
 * it lives in memory.
 * @throws PlainError when another process has the same files open: two at once would destroy them.
 * @throws UnusableDatabaseError when PGlite cannot open the files
 */
export async function startEmbeddedDatabase(dataDir?: string): Promise<EmbeddedDatabase> {
  const ownership = dataDir ? await claimFiles(dataDir) : undefined;
  try {
    const db = await openFiles(dataDir && filesOf(dataDir));
    const server = await servePGlite(db, "127.0.0.1");
    const url = `postgresql://postgres@${server.host}:${server.port}/postgres`;
    ownership?.announce(url);
    let isAlive = true;
    server.failed.then(() => {
      isAlive = false;
    });
    return {
      url: withoutNames(url),
      failed: server.failed,
      async stop() {
        ownership?.announce("");
        await server.stop();
        if (isAlive) await db.close();
        ownership?.release();
      },
    };
  } catch (error) {
    ownership?.release();
    throw error;
  }
}

/** Gives the files another name, with the time in it, and answers that. No process may have them open. */
export function moveFilesAside(dataDir: string): string {
  const aside = `${filesOf(dataDir)}-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  renameSync(filesOf(dataDir), aside);
  return aside;
}

const filesOf = (dataDir: string) => join(dataDir, "postgres");

async function openFiles(dataDir?: string): Promise<PGlite> {
  try {
    return await PGlite.create(dataDir ? { dataDir } : {});
  } catch (error) {
    if (!dataDir) throw error;
    throw new UnusableDatabaseError(
      `The embedded database in ${dataDir} cannot be opened: ${(error as Error).message}.`,
    );
  }
}
