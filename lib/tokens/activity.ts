import { db } from "@/lib/database/client";
import { HOUR, startOfHour } from "@/lib/format/time";
import type { AccessToken, TokenUseHour, TokenVisitor } from "@/lib/generated/prisma/client";
import { networkOf } from "@/lib/http/network";

const HOURS_SHOWN = 24;
const VISITORS_SHOWN = 10;
/** The last instant that a date can hold. */
const NEVER = new Date(8.64e15);

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
  /** Null: it was seen, but its row is not written yet, or not kept any more. */
  firstSeenAt: Date | null;
  lastSeenAt: Date;
  /** Answered with the token, as far as is counted; null: as above. */
  requests: number | null;
  /** An event says that its network is new. */
  isNew: boolean;
};

/**
 * Senders of a token before its end, and senders that were refused after it, or last of all from outside its networks.
 * Latest first. `networks`: those of every known sender before its end.
 */
export type Visitors = { used: Visitor[]; refused: Visitor[]; networks: string[] };

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
  | "id"
  | "firstUsedAt"
  | "firstUsedIp"
  | "lastUsedAt"
  | "lastUsedIp"
  | "lastUsedAgent"
  | "lastRefusedAt"
  | "lastRefusedIp"
  | "lastRefusedAgent"
>;

/**
 * Lists recent senders of a token, and refused senders since `endedAt`, which is null while the token works. `news` are the
 * networks that are new for it.
 */
export async function listVisitors(token: LastSeen, endedAt: Date | null, news: readonly string[]): Promise<Visitors> {
  const rows = await db.tokenVisitor.findMany({
    where: { tokenId: token.id },
    select: VISITOR,
    orderBy: [{ firstSeenAt: "asc" }, { ip: "asc" }],
  });
  return visitorsOf(token, endedAt, rows, news);
}

const VISITOR = { ip: true, network: true, agent: true, firstSeenAt: true, lastSeenAt: true, requests: true } as const;
type VisitorRow = Pick<TokenVisitor, keyof typeof VISITOR>;

/**
 * Splits the visitors at the end of the token: earlier requests were answered, later ones were refused. Adds the token's
 * own first use, last use and last refusal, because they are written at other moments than the rows and may be newer. `rows` are those
 * of one token, first seen first.
 */
export function visitorsOf(
  token: LastSeen,
  endedAt: Date | null,
  rows: readonly VisitorRow[],
  news: readonly string[],
): Visitors {
  const end = endedAt ?? NEVER;
  const visitors = rows.map(({ network, ...row }) => ({ ...row, isNew: news.includes(network) }));
  const usedRows = visitors
    .filter(({ firstSeenAt }) => firstSeenAt <= end)
    .map((row) => ({ ...row, lastSeenAt: new Date(Math.min(Number(row.lastSeenAt), Number(end))) }));
  const refusedRows = visitors.filter(({ lastSeenAt }) => lastSeenAt > end);
  const used = withLast(usedRows, token.lastUsedIp, token.lastUsedAgent, token.lastUsedAt).map((visitor) =>
    visitor.ip === token.firstUsedIp ? { ...visitor, firstSeenAt: token.firstUsedAt } : visitor,
  );
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
    ...seen,
  ].sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
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
