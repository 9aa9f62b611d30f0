import { db } from "@/lib/database/client";
import type { AccessToken, TokenUseHour, TokenVisitor } from "@/lib/generated/prisma/client";
import { networkOf } from "@/lib/http/network";
import { DAY, HOUR, startOfHour } from "@/lib/time";

const HOURS_SHOWN = 24;
const VISITORS_SHOWN = 10;
/** The last instant that a date can hold. */
const NEVER = new Date(8.64e15);
/** The page reports a token's new network for this long. */
const NEWS_FOR = 7 * DAY;

type Counts = Pick<TokenUseHour, "requests" | "limited" | "refused">;

/** What a token did in an hour. */
export type HourOfUse = { hour: Date } & Counts;

/** A token's last 24 hours, oldest first. It includes hours without a request. */
export type DayOfUse = {
  hours: HourOfUse[];
  total: Counts;
  /** The most requests in one minute. */
  peak: number;
};

/** An ip that sent a token, and the user agent that it claimed. */
export type Visitor = {
  ip: string;
  agent: string | null;
  /** Null: it was seen, but is not written yet. */
  firstSeenAt: Date | null;
  lastSeenAt: Date;
  /** Answered with the token, as far as is counted; null: not written yet. */
  requests: number | null;
  /** Its network is news: see `listNewNetworks`. */
  isNew: boolean;
};

/**
 * Senders of a token before its end, and senders that were refused after it, or last of all from outside its networks.
 * Latest first. `networks`: those of every known sender before its end.
 */
export type Visitors = { used: Visitor[]; refused: Visitor[]; networks: string[] };

/**
 * A network that recently sent a token for the first time, although another network used that token before, and that the
 * owner has not said to know.
 */
export type NewNetwork = Pick<TokenVisitor, "tokenId" | "network" | "agent" | "firstSeenAt">;

/** Returns the last day of each token. Counts are written in batches: up to a minute late, and not exact. */
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

type LastSeen = Pick<
  AccessToken,
  "id" | "lastUsedAt" | "lastUsedIp" | "lastUsedAgent" | "lastRefusedAt" | "lastRefusedIp" | "lastRefusedAgent"
>;

/** Lists recent senders of a token, and refused senders since `endedAt`. `endedAt` is null while the token works. */
export async function listVisitors(token: LastSeen, endedAt: Date | null, now: Date): Promise<Visitors> {
  const rows = await db.tokenVisitor.findMany({
    where: { tokenId: token.id },
    select: VISITOR,
    orderBy: [{ firstSeenAt: "asc" }, { ip: "asc" }],
  });
  return visitorsOf(token, endedAt, rows, now);
}

const NEWS = { tokenId: true, network: true, agent: true, firstSeenAt: true, knownAt: true } as const;
const VISITOR = { ...NEWS, ip: true, lastSeenAt: true, requests: true } as const;
type NewsRow = Pick<TokenVisitor, keyof typeof NEWS>;
type VisitorRow = Pick<TokenVisitor, keyof typeof VISITOR>;

/**
 * Splits the visitors at the end of the token: earlier requests were answered, later ones were refused. Adds the token's
 * own last use and last refusal, because they are written at other moments than the rows and may be newer. `rows` are those
 * of one token, first seen first.
 */
export function visitorsOf(token: LastSeen, endedAt: Date | null, rows: readonly VisitorRow[], now: Date): Visitors {
  const end = endedAt ?? NEVER;
  const news = new Set(newNetworksIn(rows, now).map(({ network }) => network));
  const visitors = rows.map(({ network, ...row }) => ({ ...row, isNew: endedAt === null && news.has(network) }));
  const usedRows = visitors
    .filter(({ firstSeenAt }) => firstSeenAt <= end)
    .map((row) => ({ ...row, lastSeenAt: new Date(Math.min(Number(row.lastSeenAt), Number(end))) }));
  const refusedRows = visitors.filter(({ lastSeenAt }) => lastSeenAt > end);
  const used = withLast(usedRows, token.lastUsedIp, token.lastUsedAgent, token.lastUsedAt);
  const refused = withLast(refusedRows, token.lastRefusedIp, token.lastRefusedAgent, token.lastRefusedAt);
  return {
    used: used.slice(0, VISITORS_SHOWN),
    refused: refused.slice(0, VISITORS_SHOWN),
    networks: [...new Set(used.map(({ ip }) => networkOf(ip)))],
  };
}

function withLast(seen: readonly Visitor[], ip: string | null, agent: string | null, at: Date | null): Visitor[] {
  const isMissing = ip !== null && at !== null && !seen.some((visitor) => visitor.ip === ip);
  return [
    ...(isMissing ? [{ ip, agent, firstSeenAt: null, lastSeenAt: at, requests: null, isNew: false }] : []),
    ...seen.map(({ ip, agent, firstSeenAt, lastSeenAt, requests, isNew }) => ({
      ...{ ip, agent, firstSeenAt, lastSeenAt, requests, isNew },
    })),
  ].sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
}

/** Stores that the owner uses these tokens from these networks. Tokens of other accounts are left alone. */
export async function confirmNetworks(
  accountId: number,
  seen: readonly Pick<NewNetwork, "tokenId" | "network">[],
  now: Date,
): Promise<void> {
  if (seen.length === 0) return;
  const OR = seen.map(({ tokenId, network }) => ({ tokenId, network }));
  await db.tokenVisitor.updateMany({ where: { OR, token: { accountId } }, data: { knownAt: now } });
}

/** Lists the newest such network of each token. */
export async function listNewNetworks(tokenIds: readonly number[], now: Date): Promise<NewNetwork[]> {
  const rows = await db.tokenVisitor.findMany({
    where: { tokenId: { in: [...tokenIds] } },
    select: NEWS,
    orderBy: [{ tokenId: "asc" }, { firstSeenAt: "asc" }],
  });
  return [...new Map(newNetworksIn(rows, now).map((network) => [network.tokenId, network])).values()];
}

/** The new networks among these visitors, which are in order: those of one token together, first seen first. */
function newNetworksIn<Row extends NewsRow>(rows: readonly Row[], now: Date): Row[] {
  const news: Row[] = [];
  const known = new Set<string>();
  for (const row of rows) {
    const key = `${row.tokenId} ${row.network}`;
    const isFirstOfToken = rows.find(({ tokenId }) => tokenId === row.tokenId) === row;
    const isNews = row.firstSeenAt.getTime() > now.getTime() - NEWS_FOR;
    if (!known.has(key) && !isFirstOfToken && isNews && row.knownAt === null) news.push(row);
    known.add(key);
  }
  return news;
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
