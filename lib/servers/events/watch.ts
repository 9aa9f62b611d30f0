import { noteDatabaseTime } from "@/lib/database/clock";
import { execute, query, transaction } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { MINUTE, SECOND } from "@/lib/format/time";
import { changeEvents, ONLINE_WINDOW } from "@/lib/servers/events/events";

// Who is silent. Each process that takes check-ins says that it is there and looks, by PostgreSQL's clock. After the console's own
// absence, or a jump of that clock, nobody is judged for a whole window: whoever checks in meanwhile has no event, and for the
// others it begins then.

/** After a longer time without a beat of any instance, in milliseconds, the console was away. */
const LONGEST_ABSENCE = 30 * SECOND;
/** A machine's own clock may be ahead by this much (see lib/ingest/check-in-body.ts). More is a jump of PostgreSQL's. */
const MAX_AHEAD = 5 * MINUTE;
/** Servers of one look. The next one takes the rest. */
const AT_ONCE = 2000;

const h = table("Heartbeat", "h");
const s = table("Server", "s");
const e = table("Event", "e");
const NOW = new Expression<Date>("now()", "instant");
const interval = (ms: number) => `interval '${ms} ms'`;

const LAST = statement({}, () => select({ at: h.beatAt, now: NOW }, `from ${h} where ${h.id} = 1 for update`));
const IS_PRESENT = `now() between ${h.beatAt} and ${h.beatAt} + ${interval(LONGEST_ABSENCE)}`;
const BEAT = statement({}, () => ({
  sql: `insert into heartbeat as h (id, beat_at, judges_from) values (1, now(), now() + ${interval(ONLINE_WINDOW)})
    on conflict (id) do update set beat_at = now(), judges_from = case when ${IS_PRESENT} then ${h.judgesFrom}
      else now() + ${interval(ONLINE_WINDOW)} end`,
}));
const AWAY = statement({ from: e.startedAt, to: e.endedAt }, ({ from, to }) => ({
  sql: `insert into events (subject, subject_id, kind, started_at, ended_at, notice_due)
    values ('console', 0, 'away', ${from}, ${to}, false) on conflict do nothing`,
}));

/** Says that an instance of the console is there. An absence before it is an event of the console itself. */
export async function beat(): Promise<void> {
  await transaction(async (ask) => {
    const [last] = await ask(LAST, {});
    await ask(BEAT, {});
    if (last) noteDatabaseTime(last.now);
    if (!last || last.now - last.at <= LONGEST_ABSENCE) return;
    await ask(AWAY, { from: new Date(last.at), to: new Date(last.now) });
  });
}

// A jump of PostgreSQL's clock may be seen here before the next beat.
const OF_JUDGES = `from ${h} where ${h.id} = 1 and ${h.judgesFrom} <= now() and ${IS_PRESENT}`;
/** SQL: the console judges who is silent. */
export const IS_JUDGING = `exists (select ${OF_JUDGES})`;
const JUDGES = statement({}, () => select({ from: h.judgesFrom }, OF_JUDGES));

/** Since when the console judges who is silent (epoch ms). Null: it does not yet. */
export async function judgesFrom(): Promise<number | null> {
  const [row] = await query(JUDGES, {});
  return row?.from ?? null;
}

const IS_SILENT = `${s.lastSeenAt} < now() - ${interval(ONLINE_WINDOW)} and ${s.offlineSince} is null`;
const IS_AHEAD = `(${s.lastSeenAt} > now() or ${s.sampledAt} > now() + ${interval(MAX_AHEAD)})`;

const SILENT = statement({}, () =>
  select({ id: s.id }, `from ${s} where ${IS_SILENT} order by ${s.id} limit ${AT_ONCE}`),
);
const instant = parameter<Date>("timestamptz");
// The row of a server that checks in at this moment is skipped, or seen as that check-in leaves it.
const LOCK = statement({ id: s.id, judgesFrom: instant }, ({ id, judgesFrom }) =>
  select(
    {
      accountId: s.accountId,
      since: new Expression<Date>(`greatest(${s.lastSeenAt} + ${interval(ONLINE_WINDOW)}, ${judgesFrom})`, "instant"),
    },
    `from ${s} where ${s.id} = ${id} and ${IS_SILENT} for no key update skip locked`,
  ),
);
const MARK = statement({ id: s.id, since: instant }, ({ id, since }) => ({
  sql: `update ${s} set offline_since = ${since} where ${s.id} = ${id}`,
}));

const AHEAD = statement({}, () =>
  select({ id: s.id }, `from ${s} where ${IS_AHEAD} order by ${s.id} limit ${AT_ONCE}`),
);
const TAKE_BACK = statement({ id: s.id }, ({ id }) => ({
  sql: `update ${s} set last_seen_at = least(${s.lastSeenAt}, now()), sampled_at = least(${s.sampledAt}, now())
    where ${s.id} = ${id} and ${IS_AHEAD}`,
}));

/** Marks the servers that have fallen silent, each with an event. It may run twice at once, and may be cut off. */
export async function watchServers(): Promise<void> {
  // What lies ahead was written before the clock jumped back. Nothing newer could follow it.
  for (const { id } of await query(AHEAD, {})) await execute(TAKE_BACK, { id });
  const from = await judgesFrom();
  if (from === null) return;
  for (const { id } of await query(SILENT, {})) {
    await transaction(async (ask) => {
      const [silent] = await ask(LOCK, { id, judgesFrom: new Date(from) });
      if (!silent) return;
      await ask(MARK, { id, since: new Date(silent.since) });
      const { accountId } = silent;
      await changeEvents(ask, { accountId, id }, [{ kind: "offline", from: silent.since, to: null, facts: {} }]);
    });
  }
}
