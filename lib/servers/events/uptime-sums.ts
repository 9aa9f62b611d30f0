import { db, type Prisma } from "@/lib/database/client";
import type { GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";
import { instantOf, wallClock, zoneOrUtc } from "@/lib/format/time-zone";
import { listServerEvents } from "@/lib/servers/events/server-events";
import {
  isCarried,
  midnightOf,
  percentOf,
  type Uptime,
  uptimeOf,
  withoutMaintenance,
} from "@/lib/servers/events/uptime";

// Days and months freeze a day after their end, when nothing corrects their events any more: late samples arrive within two
// hours. The sums outlive their events.

/** How long after its end a day or a month is summed up. */
const FREEZES_AFTER = DAY;
/** The clocks of no two zones are further apart. */
const ZONES_APART = 26 * HOUR;
/** The servers of one statement. */
const PAGE = 200;
/** Days that are summed up for a server at once; the next sweep goes on. */
const DAYS_AT_ONCE = 62;

const s = table("Server", "s");
const a = table("Account", "a");
const u = table("UptimeSum", "u");

const lastEnd = (unit: "day" | "month") =>
  new Expression<Date | null>(
    `(select ${u.endedAt} from ${u} where ${u.serverId} = ${s.id} and ${u.unit} = '${unit}' order by ${u.startedAt} desc limit 1)`,
    "instant",
  );

// Raw, because the last sums of many servers are one statement, each found by the primary key. A server that was never heard
// has no uptime.
const SUMMED = statement({ after: s.id }, ({ after }) =>
  select(
    { id: s.id, zone: a.timeZone, day: lastEnd("day"), month: lastEnd("month") },
    `from ${s} join ${a} on ${a.id} = ${s.accountId}
    where ${s.id} > ${after} and (${s.latestSampleAt} is not null or ${s.lastSeenAt} <> ${s.createdAt})
    order by ${s.id} limit ${PAGE}`,
  ),
);

/** A day or a month that has ended; times in epoch milliseconds. */
export type UptimeSum = { from: number; to: number; zone: string; uptime: Uptime };

/** Sums up the days and months that ended a day before `now` (epoch ms) or earlier. Answers how many rows it wrote. */
export async function freezeUptime(now: number, goesOn: GoesOn): Promise<number> {
  let rows = 0;
  for (let after = 0; await goesOn(); ) {
    const servers = await query(SUMMED, { after });
    for (const { id, zone, day, month } of servers) {
      if (!(await goesOn())) return rows;
      rows += await freezeServer(id, zoneOrUtc(zone), { day, month }, now);
    }
    const last = servers.at(-1);
    if (!last) break;
    after = last.id;
  }
  return rows;
}

type Ends = { day: number | null; month: number | null };

async function freezeServer(id: number, zone: string, { day, month }: Ends, now: number): Promise<number> {
  const end = midnightOf(now - FREEZES_AFTER, zone);
  if (day !== null && day >= end) return 0;
  // An outage may have begun in the day before.
  const asked = { from: day === null ? 0 : day - DAY, to: end };
  const { silences, maintenance, recordedSince } = await listServerEvents(id, asked, now);
  if (recordedSince === null || recordedSince >= end) return 0;
  const known = withoutMaintenance(silences, maintenance);
  const days: Prisma.UptimeSumCreateManyInput[] = [];
  let from = day ?? midnightOf(recordedSince, zone);
  while (from < end && days.length < DAYS_AT_ONCE) {
    const to = Math.min(end, midnightOf(from, zone, 1));
    const since = Math.max(from, recordedSince);
    if (since < to) {
      const { percent: _, ...sums } = uptimeOf(known, since, to);
      const carried = Number(isCarried(known, from, to));
      days.push(columnsOf({ serverId: id, unit: "day", zone }, { from, to }, { ...sums, carried }));
    }
    from = to;
  }
  const written = await db.uptimeSum.createMany({ data: days, skipDuplicates: true });
  return written.count + (await freezeMonths(id, zone, month, from));
}

/**
 * Adds the days up to `until` (epoch ms), which are all summed up, to whole months. After the account changed its zone a day may lie
 * in two months: it counts where its middle lies, and never in the month before, which is frozen.
 */
async function freezeMonths(serverId: number, zone: string, month: number | null, until: number): Promise<number> {
  const since = month === null ? {} : { startedAt: { gte: new Date(month) } };
  const days = await db.uptimeSum.findMany({
    where: { serverId, unit: "day", ...since },
    orderBy: { startedAt: "asc" },
  });
  const months = new Map<number, typeof days>();
  for (const day of days) {
    const middle = middleOf({ from: day.startedAt.getTime(), to: day.endedAt.getTime() });
    const end = nextMonth(Math.max(middle, (month ?? 0) + ZONES_APART), zone);
    if (end <= until) months.set(end, [...(months.get(end) ?? []), day]);
  }
  const data = [...months.values()].map((days) => {
    const sum = (name: "recordedMs" | "offlineMs" | "unreachableMs" | "unknownMs" | "maintenanceMs") =>
      days.reduce((all, day) => all + Number(day[name]), 0);
    const [outages, carried] = [
      days.reduce((all, day) => all + day.outages, 0),
      days.slice(1).filter((day) => day.carried > 0),
    ];
    return columnsOf(
      { serverId, unit: "month", zone },
      { from: days[0]?.startedAt.getTime() ?? 0, to: days.at(-1)?.endedAt.getTime() ?? 0 },
      {
        ...{ recorded: sum("recordedMs"), offline: sum("offlineMs"), unreachable: sum("unreachableMs") },
        ...{ unknown: sum("unknownMs"), maintenance: sum("maintenanceMs") },
        ...{ outages: outages - carried.length, carried: days[0]?.carried ?? 0 },
      },
    );
  });
  return (await db.uptimeSum.createMany({ data, skipDuplicates: true })).count;
}

/** The middle of a sum's time (epoch ms): it lies in the sum's day or month, also after the zone was changed. */
export function middleOf({ from, to }: Pick<UptimeSum, "from" | "to">): number {
  return (from + to) / 2;
}

/** The midnight of a zone with which the month after that of a time begins (epoch ms). */
function nextMonth(at: number, zone: string): number {
  const { year, month } = wallClock(at, zone);
  return instantOf({ year, month: month + 1, day: 1, hour: 0, minute: 0, second: 0 }, zone);
}

type Key = { serverId: number; unit: "day" | "month"; zone: string };
type Sums = Omit<Uptime, "percent"> & { carried: number };

function columnsOf(key: Key, { from, to }: { from: number; to: number }, sums: Sums): Prisma.UptimeSumCreateManyInput {
  const { recorded, offline, unreachable, unknown, maintenance, outages, carried } = sums;
  return {
    ...key,
    startedAt: new Date(from),
    endedAt: new Date(to),
    recordedMs: recorded,
    offlineMs: offline,
    unreachableMs: unreachable,
    unknownMs: unknown,
    maintenanceMs: maintenance,
    outages,
    carried,
  };
}

/** The days since a time (epoch ms), or the latest months, that are summed up, in order. The caller has checked whose server it is. */
export async function listUptimeSums(serverId: number, unit: "day" | "month", since: number): Promise<UptimeSum[]> {
  const rows = await db.uptimeSum.findMany({
    where: { serverId, unit, startedAt: { gte: new Date(since) } },
    orderBy: { startedAt: "asc" },
  });
  return rows.map(({ startedAt, endedAt, zone, outages, ...row }) => {
    const sums = {
      recorded: Number(row.recordedMs),
      offline: Number(row.offlineMs),
      unreachable: Number(row.unreachableMs),
      unknown: Number(row.unknownMs),
      maintenance: Number(row.maintenanceMs),
    };
    const uptime = { ...sums, outages, percent: percentOf(sums) };
    return { from: startedAt.getTime(), to: endedAt.getTime(), zone, uptime };
  });
}
