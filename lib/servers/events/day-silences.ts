import { epochMs, parameter } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { maintenanceBetween } from "@/lib/servers/events/maintenance-sql";
import type { SilenceKind } from "@/lib/servers/events/silence";
import { IS_SILENCE } from "@/lib/servers/events/silence-statements";
import { outagesOfDay, withoutMaintenance } from "@/lib/servers/events/uptime";

// What statements of many servers read to count the outages and restarts of the last day of each, in the same statement.

const s = table("Server", "s");
const e = table("ServerEvent", "e");

/** The times that `daySilences` needs. */
export const DAY_OF_SILENCES = { dayFrom: parameter<Date>("timestamptz"), dayTo: parameter<Date>("timestamptz") };
/** The 24 hours before `now` (epoch ms). */
export const dayBefore = (now: number) => ({ dayFrom: new Date(now - DAY), dayTo: new Date(now) });

type Times = readonly (readonly [from: number, to: number])[];
type DaySilences = readonly (readonly [
  serverId: number,
  silences: readonly (readonly [kind: SilenceKind, from: number, to: number])[] | null,
  maintenance: Times | null,
  reboots: number,
  /** As in `DayOutages`. */
  hasMore: boolean,
])[];

/** Of the servers of a whole account, so many events each are looked at: a thousand servers may have 600 outages a day each. */
export const MOST_OF_FLEET = 40;

/**
 * SQL of the silences of servers that ended in a day, of their maintenance and of their restarts; servers without any are left out. Silences do not
 * overlap, so that of those that began before the day only the last can end in it: each server takes two look-ups. `most`: of the
 * events of the day and of those before it, how many of each server are looked at, the latest.
 */
export function daySilences(
  servers: string,
  { dayFrom, dayTo }: { [Name in keyof typeof DAY_OF_SILENCES]: string },
  most: number | "all" = "all",
) {
  const hasMore = most === "all" ? "false" : `count(*) filter (where ${e.startedAt} >= ${dayFrom}) = ${most}`;
  const reboots = `count(*) filter (where ${e.kind} = 'rebooted' and ${e.startedAt} >= ${dayFrom})`;
  const ended = `${IS_SILENCE} and ${e.endedAt} >= ${dayFrom}`;
  const latest = (times: string) =>
    `select * from ${e} where ${e.serverId} = s.id and ${times} order by ${e.startedAt} desc limit ${most}`;
  const silences = `json_agg(json_build_array(e.kind, ${epochMs(e.startedAt)}, ${epochMs(e.endedAt)}) order by e.started_at)`;
  return new Expression<DaySilences | null>(`(
    select json_agg(json_build_array(s.id, day.silences, ${maintenanceBetween("s.id", dayFrom, dayTo)}, day.reboots, day.has_more))
    from ${s} cross join lateral (
      select ${silences} filter (where ${ended}) as silences, ${reboots} as reboots, ${hasMore} as has_more from (
        (${latest(`${e.startedAt} >= ${dayFrom} and ${e.startedAt} < ${dayTo}`)})
        union all
        (select * from (${latest(`${e.startedAt} < ${dayFrom}`)}) e where ${IS_SILENCE} order by ${e.startedAt} desc limit 1)) e) day
    where ${servers} and (day.silences is not null or day.reboots > 0))`);
}

/**
 * The outages and restarts of a server in the last day, and when the last outage was over (epoch ms). `hasMore`: there may have
 * been further ones, before the events that were looked at.
 */
export type DayOutages = { outages: number; lastOutageAt: number | null; reboots: number; hasMore: boolean };

/** Those of each server, by its id; servers without any are left out. */
export function outagesByServer(days: DaySilences | null, now: number): ReadonlyMap<number, DayOutages> {
  return new Map(
    (days ?? []).map(([id, silences, maintenance, reboots, hasMore]) => {
      const known = withoutMaintenance(
        (silences ?? []).map(([kind, from, to]) => ({ kind, from, to })),
        (maintenance ?? []).map(([from, to]) => ({ from, to })),
      );
      const outages = outagesOfDay(known, now);
      const last = known.pieces.findLast(({ kind }) => kind === "offline");
      return [id, { outages, lastOutageAt: outages > 0 && last ? last.to : null, reboots, hasMore }];
    }),
  );
}
