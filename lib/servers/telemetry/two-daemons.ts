import { db } from "@/lib/database/client";
import { MINUTE } from "@/lib/time";

/** Two daemons that share a key take turns at checking in. After this time without a turn, one daemon is assumed again. */
export const NEWS_FOR = 10 * MINUTE;

/** When two daemons were last seen to report for a server with the same key; null when not lately. */
export async function findTwoDaemons(accountId: number, serverId: number, now: Date): Promise<Date | null> {
  const server = await db.server.findFirst({
    where: { id: serverId, accountId, twoDaemonsAt: { gt: new Date(now.getTime() - NEWS_FOR) } },
    select: { twoDaemonsAt: true },
  });
  return server?.twoDaemonsAt ?? null;
}

/** The last two names that daemons of a server reported under, and when two were seen to take turns (epoch ms). */
type Known = { daemon: string | null; daemonBefore: string | null; twoDaemonsAt: number | null };

/** Updates the names after a check-in. A daemon takes a new name at each start, so a name that returns proves a second daemon. */
export function withDaemon(known: Known, daemon: string | undefined, now: Date) {
  const { daemon: last, daemonBefore: before } = known;
  const twoDaemonsAt = known.twoDaemonsAt === null ? null : new Date(known.twoDaemonsAt);
  if (daemon === undefined || daemon === last) return { daemon: last, daemonBefore: before, twoDaemonsAt };
  return { daemon, daemonBefore: last, twoDaemonsAt: daemon === before ? now : twoDaemonsAt };
}
