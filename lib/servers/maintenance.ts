import { db } from "@/lib/database/client";
import { lockServer } from "@/lib/database/locks";
import { momentText } from "@/lib/relative-time";
import { DAY, MINUTE } from "@/lib/time";
import { parseTimes, type RangeParams, type TimeRange } from "@/lib/time-range";
import { zoneText } from "@/lib/time-zone";

// Times that an account leaves out of the uptime of a server. They never overlap. What has passed stays, because the uptime of a
// day or a month is frozen a day after its end.

/** The most that are kept for a server, in all. The sweep deletes them with the events of their time. */
export const MOST_MAINTENANCE = 100;
const LONGEST = 31 * DAY;
/** How far ahead one may be planned, and how long after its beginning it may still be entered. */
const FURTHEST = 366 * DAY;
const LATEST = DAY;

export type Maintenance = TimeRange & { id: number };
export type PlanResult =
  | ({ kind: "planned" } & TimeRange)
  | { kind: "invalid"; message: string; fields: { from: string; to: string } }
  | { kind: "not-found" };

/** Plans maintenance of a server from a form's fields, which are by the clocks of `zone`. */
export async function planMaintenance(
  accountId: number,
  serverId: number,
  fields: RangeParams,
  zone: string,
  now: number = Date.now(),
): Promise<PlanResult> {
  const times = parseTimes(fields, zone);
  const invalid = (message: string): PlanResult => ({ kind: "invalid", message, fields: times.fields });
  if (times.kind === "refused") return invalid(times.message);
  const { range } = times;
  const message = refusal(range, now);
  if (message) return invalid(message);
  return db.$transaction(async (tx) => {
    // Of two plans at once the second sees the first.
    if (!(await lockServer(tx, accountId, serverId))) return { kind: "not-found" };
    const overlaps = { startedAt: { lt: new Date(range.to) }, endedAt: { gt: new Date(range.from) } };
    const other = await tx.maintenanceTime.findFirst({ where: { serverId, ...overlaps } });
    if (other) {
      const text = (at: Date) => momentText(at, zone);
      return invalid(
        `Maintenance is planned already from ${text(other.startedAt)} to ${text(other.endedAt)} (${zoneText(zone)}).`,
      );
    }
    if ((await tx.maintenanceTime.count({ where: { serverId } })) >= MOST_MAINTENANCE) {
      return invalid(`A server has at most ${MOST_MAINTENANCE} times of maintenance, those of the past included.`);
    }
    await tx.maintenanceTime.create({
      data: { serverId, startedAt: new Date(range.from), endedAt: new Date(range.to) },
      select: { id: true },
    });
    return { kind: "planned", ...range };
  });
}

function refusal({ from, to }: TimeRange, now: number): string | null {
  if (to - from < MINUTE) return "Maintenance lasts a minute at least.";
  if (to - from > LONGEST) return `Maintenance lasts ${LONGEST / DAY} days at most.`;
  if (from < now - LATEST) return "It can be entered until a day after its beginning: what is older is counted.";
  if (from > now + FURTHEST) return "It can be planned a year ahead.";
  return null;
}

/** Calls maintenance off: what has begun ends now, and what has not begun is gone. False when there is nothing to call off. */
export async function callOffMaintenance(
  accountId: number,
  serverId: number,
  id: number,
  now: Date = new Date(),
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    if (!(await lockServer(tx, accountId, serverId))) return false;
    const { count } = await tx.maintenanceTime.deleteMany({ where: { id, serverId, startedAt: { gte: now } } });
    const ended = await tx.maintenanceTime.updateMany({
      where: { id, serverId, startedAt: { lt: now }, endedAt: { gt: now } },
      data: { endedAt: now },
    });
    return count + ended.count > 0;
  });
}

/** The maintenance of a server that goes on or comes, at `now`. The caller has checked whose server it is. */
export async function listMaintenance(serverId: number, now: Date): Promise<Maintenance[]> {
  const rows = await db.maintenanceTime.findMany({
    where: { serverId, endedAt: { gt: now } },
    orderBy: { startedAt: "asc" },
    take: MOST_MAINTENANCE,
  });
  return rows.map(({ id, startedAt, endedAt }) => ({ id, from: startedAt.getTime(), to: endedAt.getTime() }));
}
