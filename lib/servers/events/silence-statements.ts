import { parameter } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { type BlindPairs, blindSince, PRESENT_UNTIL } from "@/lib/servers/events/presence";
import { type EndedSilence, SILENCE_KINDS, type SilenceKind } from "@/lib/servers/events/silence";

// What a check-in reads and writes of the events of its server, as parts of its own statements.

const s = table("Server", "s");
const e = table("ServerEvent", "e");
/** More events than can lie in the two minutes that a late sample proves. */
const MOST_IN_PROOF = 20;

/** SQL: the event is a silence. */
export const IS_SILENCE = `${e.kind} in (${SILENCE_KINDS.map((kind) => `'${kind}'`).join(", ")})`;

const ms = (column: Expression<unknown>) => `(date_part('epoch', ${column}) * 1000)::bigint`;

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
      select json_agg(json_build_array(e.kind, ${ms(e.startedAt)}, ${ms(e.endedAt)}) order by e.started_at) from (
        select * from ${e} where ${e.serverId} = ${id} and ${e.startedAt} <= ${names.provesUntil} and ${IS_SILENCE}
        order by ${e.startedAt} desc limit ${MOST_IN_PROOF}) e where ${e.endedAt} >= ${names.provesFrom})`),
  };
}

/** The events that a check-in puts in the place of those that begin in `[eventsFrom, eventsTo)`. */
export const SILENCE_WRITTEN = {
  eventKinds: parameter<readonly string[]>("text[]"),
  eventStarts: parameter<readonly Date[]>("timestamptz[]"),
  eventEnds: parameter<readonly Date[]>("timestamptz[]"),
  eventsFrom: parameter<Date | null>("timestamptz"),
  eventsTo: parameter<Date | null>("timestamptz"),
};

/** SQL of the two steps that write them, for the server in `added`. */
export function silenceWrites(names: { [Name in keyof typeof SILENCE_WRITTEN]: string }): string {
  const { eventKinds, eventStarts, eventEnds, eventsFrom, eventsTo } = names;
  return `happened as (
      insert into server_events as e (server_id, kind, started_at, ended_at)
        select added.id, w.* from added, unnest(${eventKinds}, ${eventStarts}, ${eventEnds}) as w
      on conflict (server_id, started_at, kind) do update set ended_at = excluded.ended_at),
    unhappened as (
      delete from ${e} using added where ${e.serverId} = added.id and ${IS_SILENCE}
        and ${e.startedAt} >= ${eventsFrom} and ${e.startedAt} < ${eventsTo}
        and not exists (select from unnest(${eventKinds}, ${eventStarts}) w (kind, started_at)
          where w.kind = ${e.kind} and w.started_at = ${e.startedAt}))`;
}

/** `after` in the place of `before`, as `SILENCE_WRITTEN` wants it. */
export function silenceValues(before: readonly EndedSilence[], after: readonly EndedSilence[]) {
  const all = [...before, ...after];
  return {
    eventKinds: after.map(({ kind }) => kind),
    eventStarts: after.map(({ from }) => new Date(from)),
    eventEnds: after.map(({ to }) => new Date(to)),
    eventsFrom: all.length === 0 ? null : new Date(Math.min(...all.map(({ from }) => from))),
    eventsTo: all.length === 0 ? null : new Date(Math.max(...all.map(({ to }) => to))),
  };
}
