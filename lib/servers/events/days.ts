import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

/** What goes on of a bad score: since when (epoch ms), and how bad. */
export type Unwell = { at: number; level: "strained" | "critical" };

/** What happened to a server in the last 24 hours outside of maintenance, and what goes on. Times in epoch milliseconds. */
export type DayOfServer = {
  outages: number;
  reboots: number;
  /** When the last outage was over, or the machine restarted last. Null: neither, or an outage goes on. */
  lastBreakAt: number | null;
  unwell: Unwell | null;
};

const QUIET: DayOfServer = { outages: 0, reboots: 0, lastBreakAt: null, unwell: null };

const e = table("Event", "e");
const m = table("MaintenanceTime", "m");
const UNTIL = `greatest(${e.startedAt}, coalesce(${e.endedAt}, now()))`;

// Raw: what goes on of an account, and what ended within a day, by one index. Times of maintenance that touch are one.
const EVENTS = statement(
  { accountId: e.accountId, since: parameter<Date>("timestamptz"), serverId: parameter<number | null>("int") },
  ({ accountId, since, serverId }) =>
    select(
      { id: e.subjectId, kind: e.kind, from: e.startedAt, to: e.endedAt },
      `from ${e} where ${e.accountId} = ${accountId} and ${e.subject} = 'server'
        and ${e.kind} in ('offline', 'rebooted', 'strained', 'critical')
        and coalesce(${e.endedAt}, 'infinity') > ${since} and (${serverId} is null or ${e.subjectId} = ${serverId})
        and not exists (select from ${m} where ${m.serverId} = ${e.subjectId}
          and ${m.startedAt} <= ${UNTIL} and ${m.endedAt} >= ${e.startedAt}
          having range_agg(tstzrange(${m.startedAt}, ${m.endedAt}, '[]')) @> tstzrange(${e.startedAt}, ${UNTIL}, '[]'))
      order by ${e.startedAt}`,
    ),
);

export type Days = (serverId: number) => DayOfServer;

/** The last day of the servers of an account, or of one of them, at `now` (epoch ms). */
export async function listDays(accountId: number, now: number, serverId: number | null = null): Promise<Days> {
  const days = new Map<number, DayOfServer>();
  for (const { id, kind, from, to } of await query(EVENTS, { accountId, since: new Date(now - DAY), serverId })) {
    const day = days.get(id) ?? { ...QUIET };
    days.set(id, day);
    if (kind === "offline") day.outages++;
    if (kind === "rebooted") day.reboots++;
    if (kind === "offline" || kind === "rebooted")
      day.lastBreakAt = to === null ? null : Math.max(day.lastBreakAt ?? 0, to);
    else if (to === null && day.unwell?.level !== "critical") day.unwell = { at: from, level: kind as Unwell["level"] };
  }
  return (id) => days.get(id) ?? QUIET;
}
