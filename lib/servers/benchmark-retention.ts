import { db } from "@/lib/database/client";
import { deletion, type GoesOn, MOST } from "@/lib/database/deletion";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

/** Finished runs per server that keep their log, the latest first. A log is a hundred times as large as the rest of a run. */
const LOGS_KEPT = 5;
/** A run that has not finished after this many days is deleted. */
const OPEN_DAYS = 30;

const s = table("Server", "s");
const b = table("BenchmarkRun", "b");

/** Selects the finished runs of a server except its latest `most`. */
const beyond = (most: string, condition = "") => `select ranked.place from (
  select b.ctid as place, row_number() over (order by ${b.finishedAt} desc, ${b.id} desc) as rank, ${b.log}
  from ${b} where ${b.serverId} = ${s.id} and ${b.status} = 'done') ranked where ranked.rank > ${most} ${condition}`;

const deleteRunsBeyond = deletion(s, MOST, "delete from benchmark_runs", (most) => beyond(most));
// PostgreSQL knows the length of a log without reading the log.
const emptyLogsBeyond = deletion(s, MOST, "update benchmark_runs set log = ''", (most) =>
  beyond(most, "and octet_length(ranked.log) > 0"),
);

/** Keeps the latest `most` finished runs of each server. Deletes the others and runs that never finished. Returns the count. */
export async function deleteOldRuns(now: number, most: number, goesOn: GoesOn): Promise<number> {
  const open = await db.benchmarkRun.deleteMany({
    where: { status: { not: "done" }, createdAt: { lt: new Date(now - OPEN_DAYS * DAY) } },
  });
  return open.count + (await deleteRunsBeyond(most, goesOn));
}

/** Empties the logs of the finished runs of each server beyond the latest `LOGS_KEPT`. Answers how many. */
export function forgetOldLogs(goesOn: GoesOn): Promise<number> {
  return emptyLogsBeyond(LOGS_KEPT, goesOn);
}
