import { PrismaPg } from "@prisma/adapter-pg";
import { db, pool } from "@/lib/database/client";
import { isDatabaseUnavailable } from "@/lib/database/health";
import { queryOn } from "@/lib/database/run-statement";
import type { Statement } from "@/lib/database/statement";
import { SECOND } from "@/lib/format/time";
import { PrismaClient } from "@/lib/generated/prisma/client";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { inTime, LONGEST_WAIT, waitingTime, withWaitingTime } from "@/lib/process/reader.mjs";
import { endRepeated, logRepeated } from "@/lib/process/repeated.mjs";
import { ConsolePool } from "./pool";

// The replica serves reads that may lag by some seconds: the history of servers and the intervals of game services.
// Authorisation and every read after a write use the primary.

/** The part of the client that reads samples and their hourly sums; it writes nothing. */
export type Reader = Pick<typeof db, "telemetrySample" | "telemetryHour" | "$queryRawUnsafe" | "$executeRawUnsafe">;

type Replica = { pool: ConsolePool; client: Reader /** Epoch ms; until then it is not asked. */; restsUntil: number };

const replica = perProcess("replica", (): Replica | null => {
  if (!env.databaseReadUrl) return null;
  const pool = new ConsolePool(env.databaseReadUrl, env.databasePoolSize);
  return { pool, client: new PrismaClient({ adapter: new PrismaPg(pool) }), restsUntil: 0 };
});

/** Whether there is a replica. If so, the caller must authorise its read by a separate statement on the primary. */
export const hasReplica = replica !== null;

/** A replica that did not answer is skipped for this long, so that not every request waits for it. */
const REST = 5 * SECOND;

/** Runs a read on the replica. Falls back to the primary when there is no replica or it does not answer. */
export function queryReplica<Values, Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> {
  return fromReplica(({ pool }) => queryOn(pool, statement, values));
}

/** As `queryReplica`, with the typed client. The task must only read, because it is repeated when the replica fails. */
export async function fromReplica<Result>(
  read: (from: { pool: ConsolePool; client: Reader }) => Promise<Result>,
): Promise<Result> {
  const primary = { pool, client: db };
  if (!replica || Date.now() < replica.restsUntil) return read(primary);
  try {
    // The primary gets the rest of the time.
    const half = (waitingTime()?.left ?? LONGEST_WAIT) / 2;
    const result = await inTime(() => withWaitingTime(() => read(replica), half));
    endRepeated("replica unavailable");
    return result;
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !isConflict(error)) throw error;
    replica.restsUntil = Date.now() + REST;
    logRepeated(
      { level: "error", event: "replica unavailable", over: "replica available again" },
      { reason: error instanceof Error ? error.message : String(error) },
    );
    return read(primary);
  }
}

/** A replica that lags may cancel a query whose rows it has to remove, and may not know a table yet. */
function isConflict(error: unknown): boolean {
  const { code = "", meta } = error as { code?: string; meta?: { code?: string } };
  return [code, meta?.code].some((one) => one === "40001" || one === "42P01" || one === "42703");
}
