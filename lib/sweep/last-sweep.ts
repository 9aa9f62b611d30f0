import { db } from "@/lib/database/client";

/** When the last sweep that came to its end did so, on whichever instance; null when there was none. */
export async function findLastSweep(): Promise<{ finishedAt: Date } | null> {
  const row = await db.sweep.findFirst({ where: { finishedAt: { not: null } }, select: { finishedAt: true } });
  return row?.finishedAt ? { finishedAt: row.finishedAt } : null;
}
