import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/time";

/** Two daemons that share a key take turns with every check-in; after this time without a turn there is one again. */
const NEWS_FOR = 10 * MINUTE;

/** When two daemons were last seen to report for a server with the same key; null when not lately. */
export async function findTwoDaemons(accountId: number, serverId: number, now: Date): Promise<Date | null> {
  const server = await db.server.findFirst({
    where: { id: serverId, accountId, twoDaemonsAt: { gt: new Date(now.getTime() - NEWS_FOR) } },
    select: { twoDaemonsAt: true },
  });
  return server?.twoDaemonsAt ?? null;
}
