import { db } from "@/lib/database/client";

/** A server whose daemon has yet to check in: it counts as last seen when it was created. */
export async function createServer(
  accountId: number,
  { label, hostname }: { label: string; hostname: string },
  now: Date = new Date(),
): Promise<{ id: number }> {
  return db.server.create({
    data: { accountId, label, hostname, createdAt: now, lastSeenAt: now },
    select: { id: true },
  });
}
