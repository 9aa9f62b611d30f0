import { epochMs, parameter } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import type { CheckInEvents } from "@/lib/servers/events/check-in-events";
import { type BlindPairs, blindSince, PRESENT_UNTIL } from "@/lib/servers/events/presence";
import { type EndedSilence, SILENCE_KINDS, type SilenceKind } from "@/lib/servers/events/silence";
import { MOST_EVENTS } from "@/lib/servers/telemetry/measurements";

// What a check-in reads and writes of the events of its server, as parts of its own statements.

const s = table("Server", "s");
const e = table("ServerEvent", "e");
/** More events than can lie in the two minutes that a late sample proves. */
const MOST_IN_PROOF = 20;

/** SQL: the event is a silence. */
export const IS_SILENCE = `${e.kind} in (${SILENCE_KINDS.map((kind) => `'${kind}'`).join(", ")})`;

/**
 * SQL: the event goes on, of one server. Not `is null`, so that the index of ends is not taken: it would read the events of
 * all servers that go on.
 */
export const GOES_ON = `coalesce(${e.endedAt}, 'infinity') = 'infinity'`;

/** A check-in ends a silence if the server was last seen before `silentBefore`. A late sample has both other times. */
export const SILENCE_READ = {
  silentBefore: s.lastSeenAt,
  provesFrom: parameter<Date | null>("timestamptz"),
  provesUntil: parameter<Date | null>("timestamptz"),
};

type StoredSilence = readonly [kind: SilenceKind, from: number, to: number];

/** The columns that a check-in reads: nothing, unless it ends a silence or proves something of one. */
export function silenceColumns(id: string, names: { [Name in keyof typeof SILENCE_READ]: string }) {
  const ifSilent = <Value>(value: Expression<Value>) =>
    new Expression<Value | null>(`case when ${s.lastSeenAt} < ${names.silentBefore} then ${value} end`, value.kind);
  return {
    blind: ifSilent<BlindPairs>(blindSince(s.lastSeenAt.sql)),
    presentUntil: ifSilent(PRESENT_UNTIL),
    silences: new Expression<StoredSilence[] | null>(`(
      select json_agg(json_build_array(e.kind, ${epochMs(e.startedAt)}, ${epochMs(e.endedAt)}) order by e.started_at) from (
        select * from ${e} where ${e.serverId} = ${id} and ${e.startedAt} <= ${names.provesUntil} and ${IS_SILENCE}
        order by ${e.startedAt} desc limit ${MOST_IN_PROOF}) e where ${e.endedAt} >= ${names.provesFrom})`),
  };
}

/** The events that a check-in writes. Its silences take the place of those that begin in `[eventsFrom, eventsTo)`. */
export const SILENCE_WRITTEN = {
  eventKinds: parameter<readonly string[]>("text[]"),
  eventStarts: parameter<readonly Date[]>("timestamptz[]"),
  eventEnds: parameter<readonly (Date | null)[]>("timestamptz[]"),
  /** JSON texts. */
  eventFacts: parameter<readonly string[]>("text[]"),
  eventsFrom: parameter<Date | null>("timestamptz"),
  eventsTo: parameter<Date | null>("timestamptz"),
  /** When no service has failed any more; null: that did not change. */
  unitsWorkSince: parameter<Date | null>("timestamptz"),
};

/** Counts that are added up stay within what a measurement may be. */
const killsTogether = `jsonb_build_object('count', least(${MOST_EVENTS},
          coalesce((${e.facts} ->> 'count')::int, 0) + coalesce((excluded.facts ->> 'count')::int, 0)))`;

/** SQL of the steps that write them, for the server in `added`. */
export function silenceWrites(names: { [Name in keyof typeof SILENCE_WRITTEN]: string }): string {
  const { eventKinds, eventStarts, eventEnds, eventFacts, eventsFrom, eventsTo, unitsWorkSince } = names;
  return `happened as (
      insert into server_events as e (server_id, kind, started_at, ended_at, facts)
        select added.id, w.kind, w.started_at, w.ended_at, w.facts::jsonb
        from added, unnest(${eventKinds}, ${eventStarts}, ${eventEnds}, ${eventFacts}) as w (kind, started_at, ended_at, facts)
      on conflict (server_id, started_at, kind) do update set ended_at = excluded.ended_at,
        facts = case when ${e.kind} = 'process_killed' then ${killsTogether} else ${e.facts} || excluded.facts end),
    works as (
      update ${e} set ${e.endedAt.name} = ${unitsWorkSince} from added where ${e.serverId} = added.id
        and ${e.startedAt} <= ${unitsWorkSince} and ${e.kind} = 'unit_failed' and ${GOES_ON}),
    unhappened as (
      delete from ${e} using added where ${e.serverId} = added.id and ${IS_SILENCE}
        and ${e.startedAt} >= ${eventsFrom} and ${e.startedAt} < ${eventsTo}
        and not exists (select from unnest(${eventKinds}, ${eventStarts}) w (kind, started_at)
          where w.kind = ${e.kind} and w.started_at = ${e.startedAt}))`;
}

/** `after` in the place of `before`, and what a check-in tells besides, as `SILENCE_WRITTEN` wants it. */
export function silenceValues(
  before: readonly EndedSilence[],
  after: readonly EndedSilence[],
  { events, unitsWorkSince }: CheckInEvents,
) {
  const all = [...before, ...after];
  const written = [...after.map((silence) => ({ ...silence, facts: {} })), ...events];
  return {
    eventKinds: written.map(({ kind }) => kind),
    eventStarts: written.map(({ from }) => new Date(from)),
    eventEnds: written.map(({ to }) => (to === null ? null : new Date(to))),
    eventFacts: written.map(({ facts }) => JSON.stringify(facts)),
    unitsWorkSince: unitsWorkSince === null ? null : new Date(unitsWorkSince),
    eventsFrom: all.length === 0 ? null : new Date(Math.min(...all.map(({ from }) => from))),
    eventsTo: all.length === 0 ? null : new Date(Math.max(...all.map(({ to }) => to))),
  };
}
