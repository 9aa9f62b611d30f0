import { db, type Prisma } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import type { TokenEventFacts, TokenEventKind } from "./kinds";

/** A token that was refused this recently is still in some program. */
const STILL_TRIED = DAY;

/** What happened to a token. `endedAt` null: it goes on. */
export type TokenEvent = Awaited<ReturnType<typeof listTokenNews>>[number];

/** The newest of these events of one kind of a token. */
export function findNews(events: readonly TokenEvent[], tokenId: number, kind: TokenEventKind): TokenEvent | undefined {
  return events.findLast((event) => event.tokenId === tokenId && event.kind === kind);
}

/** Whether these events tell that the token ends within days. */
export function endsSoon(tokenId: number, news: readonly TokenEvent[]): boolean {
  return news.some((event) => event.tokenId === tokenId && event.kind.startsWith("ends_in_"));
}

/**
 * The news of these tokens at `now`: ends that come near, refusals of the last day, networks that are news. The
 * first event comes first.
 */
export async function listTokenNews(tokenIds: readonly number[], now: Date) {
  const isNews: Prisma.EventWhereInput[] = [
    { kind: { in: ["ends_in_14_days", "ends_in_3_days"] } },
    {
      kind: { in: ["refused_after_end", "refused_elsewhere"] },
      endedAt: { gt: new Date(now.getTime() - STILL_TRIED) },
    },
    { kind: "new_network", endedAt: null },
  ];
  const rows = await db.event.findMany({
    where: { subject: "token", subjectId: { in: [...tokenIds] }, OR: isNews },
    orderBy: [{ startedAt: "asc" }, { id: "asc" }],
  });
  return rows.map(({ subjectId: tokenId, startedAt, endedAt, kind, facts }) => ({
    ...{ tokenId, startedAt, endedAt },
    ...{ kind: kind as TokenEventKind, facts: facts as TokenEventFacts },
  }));
}

/** Stores that the owner uses these tokens from these networks. Tokens of other accounts are left alone. */
export async function confirmNetworks(
  accountId: number,
  seen: readonly { tokenId: number; network: string }[],
  now: Date,
): Promise<void> {
  if (seen.length === 0) return;
  const OR = seen.map(({ tokenId, network }) => ({
    subjectId: tokenId,
    facts: { path: ["network"], equals: network },
  }));
  await db.event.updateMany({
    where: { OR, subject: "token", accountId, kind: "new_network", endedAt: null, startedAt: { lte: now } },
    data: { endedAt: now },
  });
}
