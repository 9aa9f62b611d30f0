import { epochMs, parameter } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { maintenanceBetween } from "@/lib/servers/events/maintenance-sql";
import type { SilenceKind } from "@/lib/servers/events/silence";
import { IS_SILENCE } from "@/lib/servers/events/silence-statements";
import { outagesOfDay, withoutMaintenance } from "@/lib/servers/events/uptime";

// What statements of many servers read to count the outages of the last day of each, in the same statement.

const s = table("Server", "s");
const e = table("ServerEvent", "e");

/** The times that `daySilences` needs. */
export const DAY_OF_SILENCES = { dayFrom: parameter<Date>("timestamptz"), dayTo: parameter<Date>("timestamptz") };
/** The 24 hours before `now` (epoch ms). */
export const dayBefore = (now: number) => ({ dayFrom: new Date(now - DAY), dayTo: new Date(now) });

type Times = readonly (readonly [from: number, to: number])[];
type DaySilences = readonly (readonly [
  serverId: number,
  silences: readonly (readonly [kind: SilenceKind, from: number, to: number])[],
  maintenance: Times | null,
])[];

/**
 * SQL of the silences of servers that ended in a day, and of their maintenance; servers without any are left out. Silences do not
 * overlap, so that of those that began before the day only the last can end in it: each server takes two look-ups.
 */
export function daySilences(servers: string, { dayFrom, dayTo }: { [Name in keyof typeof DAY_OF_SILENCES]: string }) {
  const ofServer = `from ${e} where ${e.serverId} = s.id and ${IS_SILENCE} and ${e.endedAt} >= ${dayFrom}`;
  const silences = `json_agg(json_build_array(d.kind, ${epochMs("d.started_at")}, ${epochMs("d.ended_at")}) order by d.started_at)`;
  return new Expression<DaySilences | null>(`(
    select json_agg(json_build_array(s.id, day.silences, ${maintenanceBetween("s.id", dayFrom, dayTo)}))
    from ${s} cross join lateral (
      select ${silences} as silences from (
        select * ${ofServer} and ${e.startedAt} >= ${dayFrom} and ${e.startedAt} < ${dayTo}
        union all
        select * from (
          select * from ${e} where ${e.serverId} = s.id and ${IS_SILENCE} and ${e.startedAt} < ${dayFrom}
          order by ${e.startedAt} desc limit 1) e where ${e.endedAt} >= ${dayFrom}) d) day
    where ${servers} and day.silences is not null)`);
}

/** How many outages each server had in the last day, by its id; servers without any are left out. */
export function outagesByServer(days: DaySilences | null, now: number): ReadonlyMap<number, number> {
  return new Map(
    (days ?? []).map(([id, silences, maintenance]) => {
      const known = withoutMaintenance(
        silences.map(([kind, from, to]) => ({ kind, from, to })),
        (maintenance ?? []).map(([from, to]) => ({ from, to })),
      );
      return [id, outagesOfDay(known, now)];
    }),
  );
}
