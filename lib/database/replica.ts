import { isDatabaseUnavailable } from "@/lib/database/health";
import { type Ask, query, queryOn } from "@/lib/database/run-statement";
import type { Statement } from "@/lib/database/statement";
import { SECOND } from "@/lib/format/time";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";
import { endRepeated, logRepeated } from "@/lib/process/repeated.mjs";
import { inTime, LONGEST_WAIT, waitingTime, withWaitingTime } from "@/lib/process/request-context.mjs";
import { ConsolePool } from "./pool";

// The replica serves reads that may lag by some seconds: the history of servers and the intervals of game services.
// Authorisation and every read after a write use the primary.

type Replica = { pool: ConsolePool /** Epoch ms; until then it is not asked. */; restsUntil: number };

const replica = perProcess("replica", (): Replica | null => {
  if (!env.databaseReadUrl) return null;
  return { pool: new ConsolePool(env.databaseReadUrl, env.databasePoolSize), restsUntil: 0 };
});

/** Whether there is a replica. If so, the caller must authorise its read by a separate statement on the primary. */
export const hasReplica = replica !== null;

/** A replica that did not answer is skipped for this long, so that not every request waits for it. */
const REST = 5 * SECOND;

/** Runs a read on the replica. Falls back to the primary when there is no replica or it does not answer. */
export function queryReplica<Values, Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> {
  return fromReplica((ask) => ask(statement, values));
}

/** As `queryReplica`, for several statements. The task must only read, because it is repeated when the replica fails. */
export async function fromReplica<Result>(read: (ask: Ask) => Promise<Result>): Promise<Result> {
  if (!replica || Date.now() < replica.restsUntil) return read(query);
  const { pool } = replica;
  try {
    // The primary gets the rest of the time.
    const half = (waitingTime()?.left ?? LONGEST_WAIT) / 2;
    const result = await inTime(() =>
      withWaitingTime(() => read((statement, values) => queryOn(pool, statement, values)), half),
    );
    endRepeated("replica unavailable");
    return result;
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !isConflict(error)) throw error;
    replica.restsUntil = Date.now() + REST;
    logRepeated(
      { level: "error", event: "replica unavailable", over: "replica available again" },
      { reason: error instanceof Error ? error.message : String(error) },
    );
    return read(query);
  }
}

/** A replica that lags may cancel a query whose rows it has to remove, and may not know a table yet. */
function isConflict(error: unknown): boolean {
  const { code = "", meta } = error as { code?: string; meta?: { code?: string } };
  return [code, meta?.code].some((one) => one === "40001" || one === "42P01" || one === "42703");
}
