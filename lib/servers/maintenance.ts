import { db } from "@/lib/database/client";
import { lockAccount, lockServer } from "@/lib/database/locks";
import { queryIn } from "@/lib/database/run-statement";
import { epochMs, names, parameter, type Sql, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
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

const s = table("Server", "s");
const m = table("MaintenanceTime", "m");
const instant = parameter<Date>("timestamptz");

/** `own`: how many of the servers are the account's. `label`, `from`, `to`: of the first that overlaps. */
type Outcome = {
  own: number;
  overlapping: number;
  label: string | null;
  from: number | null;
  to: number | null;
  full: string | null;
};

// Raw: all servers or none, in one statement. What is planned for exactly these times is planned already.
const PLAN = statement(
  { accountId: s.accountId, ids: parameter<readonly number[]>("int[]"), from: instant, to: instant },
  ({ accountId, ids, from, to }): Sql<Outcome> => ({
    sql: `with own as (
        select ${s.id} as id, ${s.label} as label from ${s}
        where ${s.accountId} = ${accountId} and ${s.id} = any(${ids}) order by ${s.id} for key share),
      missing as (
        select own.id, own.label from own where not exists (
          select from ${m} where ${m.serverId} = own.id and ${m.startedAt} = ${from} and ${m.endedAt} = ${to})),
      overlapping as (
        select distinct on (missing.id) missing.id, label, ${epochMs(m.startedAt)} as at, ${epochMs(m.endedAt)} as until
        from missing join ${m} on ${m.serverId} = missing.id
        where ${m.startedAt} < ${to} and ${m.endedAt} > ${from} order by missing.id, ${m.startedAt}),
      filled as (
        select id, label from missing
        where (select count(*) from ${m} where ${m.serverId} = missing.id) >= ${MOST_MAINTENANCE}),
      planned as (
        insert into maintenance_times (${names(m.serverId, m.startedAt, m.endedAt)})
        select id, ${from}, ${to} from missing
        where (select count(*) from own) = cardinality(${ids})
          and not exists (select from overlapping) and not exists (select from filled))
    select (select count(*) from own)::int as "own", (select count(*) from overlapping)::int as "overlapping",
      first.label as "label", first.at as "from", first.until as "to",
      (select label from filled order by id limit 1) as "full"
    from (select) one left join (select * from overlapping order by id limit 1) first on true`,
  }),
);

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
  const found = await db.$transaction(async (tx) => {
    // Of two plans at once the second sees the first.
    await lockAccount(tx, accountId);
    const [row] = await queryIn(tx, PLAN, { accountId, ids, from: new Date(range.from), to: new Date(range.to) });
    return row;
  });
  if (found?.own !== ids.length) return { kind: "not-found" };
  const hindrance = hindranceOf(found, zone);
  return hindrance === null ? { kind: "planned", servers: ids.length, ...range } : invalid("servers", hindrance);
}

function hindranceOf({ overlapping, label, from, to, full }: Outcome, zone: string): string | null {
  if (label !== null && from !== null && to !== null) {
    const [begin, end] = [momentText(new Date(from), zone), momentText(new Date(to), zone)];
    const others = overlapping > 1 ? `, and ${counted(overlapping - 1, "other server")} at this time, too` : "";
    return `Nothing was planned: ${label} has maintenance already from ${begin} to ${end} (${zoneText(zone)})${others}.`;
  }
  if (full === null) return null;
  return `Nothing was planned: ${full} has ${MOST_MAINTENANCE} times of maintenance already, past ones included. That is the most.`;
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
