import { db } from "@/lib/database/client";

/** When the last finished sweep ended, on any instance. Null when none has finished. */
export async function findLastSweep(): Promise<{ finishedAt: Date } | null> {
  const row = await db.sweep.findFirst({ where: { finishedAt: { not: null } }, select: { finishedAt: true } });
  return row?.finishedAt ? { finishedAt: row.finishedAt } : null;
}
