import { PrismaPg } from "@prisma/adapter-pg";
import { Prisma, PrismaClient } from "@/lib/generated/prisma/client";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { SECOND } from "@/lib/time";

export { Prisma };

/** A query that runs longer is cancelled by PostgreSQL. */
const STATEMENT_TIMEOUT = 5 * SECOND;
/** A PostgreSQL that says nothing at all for this long counts as unreachable. */
const ANSWER_TIMEOUT = 7 * SECOND;
const CONNECT_TIMEOUT = 3 * SECOND;

function createClient() {
  const adapter = new PrismaPg({
    connectionString: env.databaseUrl,
    max: env.databasePoolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    statement_timeout: STATEMENT_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
    keepAlive: true,
    application_name: "console-api",
    // The adapter writes and reads instants as UTC and drops their offset, whatever zone the server speaks in.
    options: "-c TimeZone=UTC",
  });
  return new PrismaClient({
    adapter,
    omit: {
      account: { passwordHash: true },
      session: { tokenHash: true },
      accessToken: { tokenHash: true },
      serverKey: { keyHash: true },
      benchmarkRun: { agentTokenHash: true },
    },
  });
}

/** The database client of this process: pages, route handlers and scripts share its connections. */
export const db = perProcess("database", createClient);
