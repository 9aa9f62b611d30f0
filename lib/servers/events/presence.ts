import { query } from "@/lib/database/run-statement";
import { epochMs, parameter, type Sql, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { MINUTE, SECOND } from "@/lib/format/time";
import { covers, type Span, withGrace } from "@/lib/servers/events/silence";

// The console's own absence is never a server's. Every instance moves one row on, by the clock that it dates check-ins by:
// a clock that jumps then leaves a gap in this row and in every server's check-ins alike. PostgreSQL's clock would hide it, and
// make a jump an outage of all. Clocks that stay apart leave gaps as well: which check-in was the last is not known then.

/** How often an instance says that it is there. */
export const PRESENT_EVERY = 10 * SECOND;
/** After a longer time without a sign of any instance, the console was away: what happened then is unknown. */
const LONGEST_ABSENCE = 30 * SECOND;
/** How far the clocks of instances may differ. Beyond it, a clock has been set back. */
export const CLOCK_TOLERANCE = MINUTE;
/** One instance looks for silent servers at a time, this long after the one before. */
const LOOK_EVERY = PRESENT_EVERY - 2 * SECOND;

const p = table("ConsolePresence", "p");
const b = table("BlindTime", "b");
const milliseconds = (ms: number) => `interval '${ms} ms'`;

// Raw, because one statement is one transaction: of two instances that find a gap, the second finds it closed. The row is
// written last, because it is read first.
const PRESENT = statement(
  { now: parameter<Date>("timestamptz") },
  ({ now }): Sql<{ at: number }> => ({
    sql: `with before as (select ${p.until} as until from ${p} where ${p.id} = 1 for update),
    gap as (select least(until, ${now}) as since, greatest(until, ${now}) as until from before
      where until < ${now} - ${milliseconds(LONGEST_ABSENCE)} or until > ${now} + ${milliseconds(CLOCK_TOLERANCE)}),
    longer as (update ${b} set ${b.endedAt.name} = greatest(${b.endedAt}, gap.until), ${b.settled.name} = false
      from gap where ${b.cause} = 'away' and ${b.startedAt} <= gap.since and ${b.endedAt} >= gap.since returning ${b.id}),
    noted as (insert into blind_times as b (cause, started_at, ended_at)
      select 'away', since, until from gap where not exists (select from longer)
      on conflict (started_at, cause) do update
        set ended_at = greatest(${b.endedAt}, excluded.ended_at), settled = false returning ${b.id})
  insert into console_presence as p (id, since, until)
    select 1, ${now}, ${now} where (select count(*) from longer) + (select count(*) from noted) >= 0
  on conflict (id) do update set
    until = case when ${p.until} > ${now} + ${milliseconds(CLOCK_TOLERANCE)} then ${now} else greatest(${p.until}, ${now}) end
  returning ${epochMs("now()")} as "at"`,
  }),
);

/**
 * Says that an instance of the console is there at `now` (epoch ms). A gap before it becomes a blind time. Answers how far
 * `now` is ahead of PostgreSQL's clock (ms).
 */
export async function bePresent(now: number): Promise<number> {
  const [row] = await query(PRESENT, { now: new Date(now) });
  return now - Number(row?.at ?? now);
}

// Raw, because one conditional update decides which instance looks.
const LOOK = statement(
  { now: parameter<Date>("timestamptz") },
  ({ now }): Sql<{ id: number }> => ({
    sql: `update ${p} set ${p.lookedAt.name} = ${now} where ${p.id} = 1 and (${p.lookedAt} is null
      or ${p.lookedAt} not between ${now} - ${milliseconds(LOOK_EVERY)} and ${now}) returning ${p.id} as id`,
  }),
);

/** Whether it is this instance's turn to look for servers that fell silent, at `now` (epoch ms). */
export async function takeLook(now: number): Promise<boolean> {
  return (await query(LOOK, { now: new Date(now) })).length > 0;
}

/** Blind times as JSON: pairs of epoch milliseconds, the second of them null while it goes on. */
export type BlindPairs = readonly (readonly [from: number, to: number | null])[] | null;
const pairs = `json_agg(json_build_array(${epochMs(b.startedAt)}, ${epochMs(b.endedAt)}))`;

/** SQL of the blind times that ended after an instant. */
export const blindSince = (instant: string) =>
  new Expression<BlindPairs>(`(select ${pairs} from ${b} where ${b.endedAt} is null or ${b.endedAt} > ${instant})`);
/** SQL of the time from which on events are recorded; null before any instance has been there. */
export const RECORDED_SINCE = new Expression<Date | null>(`(select ${p.since} from ${p} where ${p.id} = 1)`, "instant");
/** SQL of the time until which an instance of the console has been there. */
export const PRESENT_UNTIL = new Expression<Date | null>(`(select ${p.until} from ${p} where ${p.id} = 1)`, "instant");

/** The blind times, with the one in which no instance has said yet that it is back. Times in epoch milliseconds. */
export function blindTimes(pairs: BlindPairs, presentUntil: number | null, now: number): Span[] {
  const known = (pairs ?? []).map(([from, to]) => ({ from, to }));
  const isAway = presentUntil !== null && now - presentUntil > LONGEST_ABSENCE;
  return isAway ? [...known, { from: presentUntil, to: null }] : known;
}

/** The columns that say whether the console is blind. `instant`: SQL of two minutes ago. */
export const blindColumns = (instant: string) => ({ blind: blindSince(instant), presentUntil: PRESENT_UNTIL });

/** Whether a server that is silent at `now` (epoch ms) is unknown, as its open event says, and not offline. */
export function isBlindAt(
  now: number,
  { blind, presentUntil }: { blind: BlindPairs; presentUntil: number | null },
): boolean {
  return covers(withGrace(blindTimes(blind, presentUntil, now)))(now - 1);
}

const BLIND = statement({ since: b.startedAt }, ({ since }) =>
  select({ pairs: blindSince(since), presentUntil: PRESENT_UNTIL }),
);

/** The blind times that ended after `since`, as they are known at `now` (epoch ms). */
export async function listBlindTimes(since: number, now: number): Promise<Span[]> {
  const [row] = await query(BLIND, { since: new Date(since) });
  return blindTimes(row?.pairs ?? null, row?.presentUntil ?? null, now);
}
