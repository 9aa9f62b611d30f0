import { db } from "@/lib/database/client";
import type { TokenUseHour, TokenVisitor } from "@/lib/generated/prisma/client";
import { DAY, HOUR, startOfHour } from "@/lib/time";

const HOURS_SHOWN = 24;
const VISITORS_SHOWN = 10;
/** So long a network that a token was never used from before is news. */
const NEWS_FOR = 7 * DAY;

type Counts = Pick<TokenUseHour, "requests" | "limited" | "refused">;

/** What a token did in an hour. */
export type HourOfUse = { hour: Date } & Counts;

/** What a token did in the last 24 hours, the oldest first, hours without a request included. */
export type DayOfUse = {
  hours: HourOfUse[];
  total: Counts;
  /** The most requests in one minute. */
  peak: number;
};

export type Visitor = Pick<TokenVisitor, "ip" | "agent" | "firstSeenAt" | "lastSeenAt">;

/** A network that a token was first used from of late, though it was used from another one before. */
export type NewNetwork = Pick<TokenVisitor, "tokenId" | "network" | "agent" | "firstSeenAt">;

/** Of each of the tokens. Written in batches, so up to a minute late, and not exact to the request. */
export async function listDaysOfUse(tokenIds: readonly number[], now: Date): Promise<Map<number, DayOfUse>> {
  const thisHour = startOfHour(now.getTime());
  const first = thisHour - (HOURS_SHOWN - 1) * HOUR;
  const rows = await db.tokenUseHour.findMany({
    where: { tokenId: { in: [...tokenIds] }, hour: { gte: new Date(first) } },
  });
  return new Map(
    tokenIds.map((id) => [
      id,
      dayOfUse(
        rows.filter(({ tokenId }) => tokenId === id),
        first,
      ),
    ]),
  );
}

/** Where a token was used from of late, the last first. */
export async function listVisitors(tokenId: number): Promise<Visitor[]> {
  return db.tokenVisitor.findMany({
    where: { tokenId },
    select: { ip: true, agent: true, firstSeenAt: true, lastSeenAt: true },
    orderBy: [{ lastSeenAt: "desc" }, { ip: "asc" }],
    take: VISITORS_SHOWN,
  });
}

/** One for each token at most, its newest. */
export async function listNewNetworks(tokenIds: readonly number[], now: Date): Promise<NewNetwork[]> {
  const rows = await db.tokenVisitor.findMany({
    where: { tokenId: { in: [...tokenIds] } },
    select: { tokenId: true, network: true, agent: true, firstSeenAt: true },
    orderBy: [{ tokenId: "asc" }, { firstSeenAt: "asc" }],
  });
  const newest = new Map<number, NewNetwork>();
  const known = new Set<string>();
  for (const row of rows) {
    const key = `${row.tokenId} ${row.network}`;
    const isFirstOfToken = rows.find(({ tokenId }) => tokenId === row.tokenId) === row;
    const isNews = row.firstSeenAt.getTime() > now.getTime() - NEWS_FOR;
    if (!known.has(key) && !isFirstOfToken && isNews) newest.set(row.tokenId, row);
    known.add(key);
  }
  return [...newest.values()];
}

function dayOfUse(rows: readonly TokenUseHour[], first: number): DayOfUse {
  const hours = Array.from({ length: HOURS_SHOWN }, (_, index) => {
    const hour = new Date(first + index * HOUR);
    const row = rows.find((candidate) => candidate.hour.getTime() === hour.getTime());
    return { hour, requests: row?.requests ?? 0, limited: row?.limited ?? 0, refused: row?.refused ?? 0 };
  });
  const sum = (of: keyof Counts) => hours.reduce((total, hour) => total + hour[of], 0);
  return {
    hours,
    total: { requests: sum("requests"), limited: sum("limited"), refused: sum("refused") },
    peak: Math.max(0, ...rows.map(({ peak }) => peak)),
  };
}
