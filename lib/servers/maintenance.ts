import { db } from "@/lib/database/client";
import { lockAccount, lockServer } from "@/lib/database/locks";
import { counted } from "@/lib/format/quantities";
import { momentText } from "@/lib/format/relative-time";
import { DAY, MINUTE } from "@/lib/format/time";
import { parseTimes, type RangeParams, type TimeRange } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";

// Times that an account leaves out of the uptime of a server. They never overlap. What is over and
// began more than a day ago stays, because the uptime of a day or a month is frozen a day after its end.

/** The most that are kept for a server, in all. The sweep deletes them with the events of their time. */
export const MOST_MAINTENANCE = 100;
const LONGEST = 31 * DAY;
/** How far ahead one may be planned, and how long after its beginning it may still be entered, or called off when it is over. */
const FURTHEST = 366 * DAY;
const LATEST = DAY;

type Maintenance = TimeRange & { id: number };
type PlanResult =
  | ({ kind: "planned"; servers: number } & TimeRange)
  /** Nothing was planned: what is wrong with the times, or what is in the way of them at which servers. */
  | { kind: "invalid"; field: "times" | "servers"; message: string; fields: { from: string; to: string } }
  | { kind: "not-found" };

/** A server that is to have maintenance, and what it has at that time. */
type Asked = { label: string; maintenance: { startedAt: Date; endedAt: Date }[] };

/**
 * Plans maintenance of servers of the account from a form's fields, which are by the clocks of `zone`: of all of them or of
 * none. The same once more changes nothing.
 */
export async function planMaintenance(
  accountId: number,
  serverIds: readonly number[],
  fields: RangeParams,
  zone: string,
  now: number = Date.now(),
): Promise<PlanResult> {
  const times = parseTimes(fields, zone);
  const invalid = (field: "times" | "servers", message: string): PlanResult => {
    return { kind: "invalid", field, message, fields: times.fields };
  };
  if (times.kind === "refused") return invalid("times", times.message);
  const { range } = times;
  const message = refusal(range, now);
  if (message) return invalid("times", message);
  const ids = [...new Set(serverIds)];
  if (ids.length === 0) return invalid("servers", "Choose at least one server.");
  const [startedAt, endedAt] = [new Date(range.from), new Date(range.to)];
  return db.$transaction(async (tx): Promise<PlanResult> => {
    // Of two plans at once the second sees the first. A server's removal waits, too.
    await lockAccount(tx, accountId);
    const own = await tx.server.findMany({
      where: { accountId, id: { in: ids } },
      select: {
        ...{ id: true, label: true },
        maintenance: {
          where: { startedAt: { lt: endedAt }, endedAt: { gt: startedAt } },
          orderBy: { startedAt: "asc" },
        },
      },
      orderBy: { id: "asc" },
    });
    if (own.length < ids.length) return { kind: "not-found" };
    // What is planned for exactly these times is planned already.
    const missing = own.filter(
      ({ maintenance: [first] }) => first?.startedAt.getTime() !== range.from || first.endedAt.getTime() !== range.to,
    );
    const taken = takenText(missing, zone);
    if (taken !== null) return invalid("servers", taken);
    const [full] = await tx.maintenanceTime.groupBy({
      by: "serverId",
      where: { serverId: { in: missing.map(({ id }) => id) } },
      having: { serverId: { _count: { gte: MOST_MAINTENANCE } } },
      orderBy: { serverId: "asc" },
      take: 1,
    });
    if (full) {
      const label = missing.find(({ id }) => id === full.serverId)?.label;
      const most = `${MOST_MAINTENANCE} times of maintenance already, past ones included. That is the most.`;
      return invalid("servers", `Nothing was planned: ${label} has ${most}`);
    }
    await tx.maintenanceTime.createMany({ data: missing.map(({ id }) => ({ serverId: id, startedAt, endedAt })) });
    return { kind: "planned", servers: ids.length, ...range };
  });
}

/** What says which of the servers has maintenance at that time; null: none has. */
function takenText(servers: readonly Asked[], zone: string): string | null {
  const [first, ...more] = servers.filter(({ maintenance }) => maintenance.length > 0);
  const times = first?.maintenance[0];
  if (!first || !times) return null;
  const [begin, end] = [momentText(times.startedAt, zone), momentText(times.endedAt, zone)];
  const others = more.length > 0 ? `, and ${counted(more.length, "other server")} at this time, too` : "";
  return `Nothing was planned: ${first.label} has maintenance already from ${begin} to ${end} (${zoneText(zone)})${others}.`;
}

function refusal({ from, to }: TimeRange, now: number): string | null {
  if (to - from < MINUTE) return "Maintenance lasts a minute at least.";
  if (to - from > LONGEST) return `Maintenance lasts ${LONGEST / DAY} days at most.`;
  if (from < now - LATEST) return "It can be entered until a day after it began. An older outage stays in the uptime.";
  if (from > now + FURTHEST) return "It can be planned a year ahead.";
  return null;
}

/** What is over and began at this time or before stays. */
function latestBeginning(now: Date): Date {
  return new Date(now.getTime() - LATEST);
}

/**
 * Calls maintenance off: what goes on ends now, and what has not begun is gone. So is what is over, until a day after its
 * beginning: it may have been entered by mistake. False when there is nothing to call off.
 */
export async function callOffMaintenance(
  accountId: number,
  serverId: number,
  id: number,
  now: Date = new Date(),
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    if (!(await lockServer(tx, accountId, serverId))) return false;
    const isMistake = { startedAt: { gt: latestBeginning(now) }, endedAt: { lte: now } };
    const { count } = await tx.maintenanceTime.deleteMany({
      where: { id, serverId, OR: [{ startedAt: { gte: now } }, isMistake] },
    });
    const ended = await tx.maintenanceTime.updateMany({
      where: { id, serverId, startedAt: { lt: now }, endedAt: { gt: now } },
      data: { endedAt: now },
    });
    return count + ended.count > 0;
  });
}

/** The maintenance of a server that can be called off at `now`, in order. The caller has checked whose server it is. */
export async function listMaintenance(serverId: number, now: Date): Promise<Maintenance[]> {
  const rows = await db.maintenanceTime.findMany({
    where: { serverId, OR: [{ endedAt: { gt: now } }, { startedAt: { gt: latestBeginning(now) } }] },
    orderBy: { startedAt: "asc" },
    take: MOST_MAINTENANCE,
  });
  return rows.map(({ id, startedAt, endedAt }) => ({ id, from: startedAt.getTime(), to: endedAt.getTime() }));
}
