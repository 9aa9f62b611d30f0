import { MOST_EVENTS_KEPT } from "@/lib/database/event-deletion";
import { query } from "@/lib/database/run-statement";
import { epochMs, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";
import { env } from "@/lib/process/env";
import { isEndedBySilence } from "@/lib/servers/events/conditions";
import type { EventFacts, EventKind } from "@/lib/servers/events/kinds";
import { maintenanceBetween } from "@/lib/servers/events/maintenance-sql";
import { blindSince, blindTimes, PRESENT_UNTIL, RECORDED_SINCE } from "@/lib/servers/events/presence";
import {
  SILENCE_KINDS,
  type SilenceEvent,
  type SilenceKind,
  type Span,
  silenceAfter,
  silencesAt,
} from "@/lib/servers/events/silence";
import { hasCheckedIn } from "@/lib/servers/servers";

/** What happened to a server. Times in epoch milliseconds; `to` is null while it goes on. */
export type ServerEvent = Span & { kind: EventKind; facts: EventFacts };

export type ServerEvents = {
  /** Those that overlap the time that was asked for, in order. */
  silences: SilenceEvent[];
  /** As well, whatever else happened. */
  others: ServerEvent[];
  /** Times that the account leaves out of the uptime, in order; they may reach beyond the time that was asked for. */
  maintenance: { from: number; to: number }[];
  /** From when on events are recorded (epoch ms). What happened before is not known. Null: not yet. */
  recordedSince: number | null;
};

const s = table("Server", "s");
const e = table("ServerEvent", "e");

type StoredEvent = readonly [kind: string, from: number, to: number | null, facts: EventFacts];

// Raw, because one statement sees one moment: the last check-in and the events that ended with it.
const EVENTS = statement(
  { id: s.id, from: e.startedAt, to: e.startedAt, most: parameter<number>("int") },
  ({ id, from, to, most }) =>
    select(
      {
        lastSeenAt: s.lastSeenAt,
        createdAt: s.createdAt,
        firstSeenAt: s.firstSeenAt,
        latestSampleAt: s.latestSampleAt,
        recordedSince: RECORDED_SINCE,
        presentUntil: PRESENT_UNTIL,
        blind: blindSince(s.lastSeenAt.sql),
        maintenance: maintenanceBetween(id, from, to),
        stored: new Expression<StoredEvent[] | null>(`(
          select json_agg(json_build_array(e.kind, ${epochMs(e.startedAt)}, ${epochMs(e.endedAt)}, ${e.facts})
            order by e.started_at) from (
            select * from ${e} where ${e.serverId} = ${id} and ${e.startedAt} < ${to}
              and (${e.endedAt} is null or ${e.endedAt} >= ${from})
            order by ${e.startedAt} desc limit ${most}) e)`),
      },
      `from ${s} where ${s.id} = ${id}`,
    ),
);

/**
 * What happened to a server in `[from, to)`, as it is known at `now` (all epoch ms). The caller has
 * checked whose server it is.
 */
export async function listServerEvents(
  id: number,
  { from, to }: { from: number; to: number },
  now: number,
): Promise<ServerEvents> {
  const [row] = await query(EVENTS, { id, from: new Date(from), to: new Date(to), most: MOST_EVENTS_KEPT });
  const stored = (row?.stored ?? []).map(([kind, from, to, facts]) => ({ kind: kind as EventKind, from, to, facts }));
  const others = stored.filter((event): event is ServerEvent => !isSilence(event));
  const maintenance = (row?.maintenance ?? []).map(([from, to]) => ({ from, to }));
  const recordedSince = row?.recordedSince ?? null;
  if (!row || !hasCheckedIn(row)) return { silences: [], others, maintenance, recordedSince };
  const blind: Span[] = blindTimes(row.blind, row.presentUntil, now);
  const all = silencesAt(stored.filter(isSilence), row.lastSeenAt, blind, now);
  const silences = all.filter((event) => event.from < to && (event.to ?? now) > from);
  // What a silence ends is written a moment later, as the silence itself.
  const silentSince = silenceAfter(row.lastSeenAt, now)?.from ?? null;
  for (const event of others) {
    if (isEndedBySilence(event.kind) && silentSince !== null) event.to ??= Math.max(event.from, silentSince);
  }
  if (recordedSince === null) return { silences, others, maintenance, recordedSince };
  // Of older events nothing is kept, which does not mean that there were none.
  const keptSince = now - env.kept.hoursDays * DAY;
  const oldest = stored.length < MOST_EVENTS_KEPT ? 0 : (stored[0]?.from ?? 0);
  const heardSince = row.firstSeenAt ?? row.createdAt;
  return { silences, others, maintenance, recordedSince: Math.max(recordedSince, heardSince, keptSince, oldest) };
}

function isSilence<Event extends { kind: EventKind }>(event: Event): event is Event & { kind: SilenceKind } {
  return SILENCE_KINDS.includes(event.kind as SilenceKind);
}
