import { PrismaPg } from "@prisma/adapter-pg";
import { Prisma, PrismaClient } from "@/lib/generated/prisma/client";
import { env } from "@/lib/process/env";
import { LONGEST_WAIT } from "@/lib/process/in-time";
import { perProcess } from "@/lib/process/per-process.mjs";
import { ConsolePool } from "./pool";

export { Prisma };

// The build loads this module without a database and runs no statement, so a placeholder URL is enough.
const createPool = () => new ConsolePool(env.databaseUrl ?? "postgresql://nowhere", env.databasePoolSize);

/** The connection pool of this process. Only `run-statement.ts` uses it directly; all other code uses `db`. */
export const pool = perProcess("database-pool", createPool);

function createClient() {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { disposeExternalPool: true }),
    transactionOptions: { maxWait: LONGEST_WAIT, timeout: LONGEST_WAIT },
    omit: {
      account: { passwordHash: true },
      session: { tokenHash: true },
      accessToken: { tokenHash: true },
      serverKey: { keyHash: true },
      edgeNodeKey: { keyHash: true },
      noticeChannel: { confirmHash: true, unsubscribeHash: true },
      benchmarkRun: { agentTokenHash: true },
    },
  });
}

/** The database client of this process: pages, route handlers and scripts share its connections. */
export const db = perProcess("database", createClient);
