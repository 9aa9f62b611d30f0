import { db } from "@/lib/database/client";
import { HOURLY } from "./lease";

/** The last sweep that came to its end, on any instance. Null when none has. */
export async function findLastSweep() {
  const row = await db.sweep.findUnique({ where: { name: HOURLY }, select: { finishedAt: true, report: true } });
  if (!row?.finishedAt) return null;
  const { failed = [], ...numbers } = (row.report ?? {}) as { failed?: string[] };
  // By name. An earlier version wrote fewer.
  const counts: Readonly<Record<string, number | undefined>> = numbers;
  return { finishedAt: row.finishedAt, counts, failedSteps: failed.length };
}
