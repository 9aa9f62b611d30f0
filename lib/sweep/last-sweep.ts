import { db } from "@/lib/database/client";
import { HOURLY } from "./lease";

/** The last sweep that came to its end, on any instance. */
type LastSweep = {
  finishedAt: Date;
  /** The numbers of its report by name. An earlier version wrote fewer. */
  counts: ReadonlyMap<string, number>;
  failedSteps: number;
};

/** Null when none has come to its end. */
export async function findLastSweep(): Promise<LastSweep | null> {
  const row = await db.sweep.findUnique({ where: { name: HOURLY }, select: { finishedAt: true, report: true } });
  if (!row?.finishedAt) return null;
  const report = Object.entries(row.report ?? {});
  const failed = report.find(([name]) => name === "failed")?.[1];
  return {
    finishedAt: row.finishedAt,
    counts: new Map(report.filter((entry): entry is [string, number] => typeof entry[1] === "number")),
    failedSteps: Array.isArray(failed) ? failed.length : 0,
  };
}
