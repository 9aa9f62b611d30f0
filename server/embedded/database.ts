import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { announcedUrl, claimFiles, isServing } from "./owner-file";
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
 */
export async function startEmbeddedDatabase(dataDir?: string): Promise<EmbeddedDatabase> {
  const ownership = dataDir ? await claimFiles(dataDir) : undefined;
  try {
    const db = await PGlite.create(dataDir ? { dataDir: join(dataDir, "postgres") } : {});
    const server = await servePGlite(db, "127.0.0.1");
    const url = `postgresql://postgres@${server.host}:${server.port}/postgres`;
    ownership?.announce(url);
    let isAlive = true;
    server.failed.then(() => {
      isAlive = false;
    });
    return {
      url,
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

/** The URL of the embedded database that another process serves from these files; null when none does. */
export async function findRunningDatabase(dataDir: string): Promise<string | null> {
  const url = announcedUrl(dataDir);
  return url && (await isServing(url)) ? url : null;
}
