import { execute, query } from "@/lib/database/run-statement";
import { epochMs, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { pause } from "@/lib/process/background";
import { ENDED_BY_SILENCE } from "@/lib/servers/events/conditions";
import { type Cut, enoughBack, findCut, stillFallen, TOGETHER } from "@/lib/servers/events/cuts";
import { listBlindTimes } from "@/lib/servers/events/presence";
import { rateSamples } from "@/lib/servers/events/samples-of-others";
import {
  covers,
  ONLINE_WINDOW,
  openSilence,
  type SilenceKind,
  type Span,
  withBlindTimes,
  withGrace,
} from "@/lib/servers/events/silence";
import { GOES_ON, IS_SILENCE } from "@/lib/servers/events/silence-statements";

// Looks for what is an absence: servers that nobody hears any more. It walks `servers` by its primary key. An index on the
// last check-in would cost each check-in, which would no longer be a HOT update. What it writes is dated to the true moment.

/** Servers of one statement. */
const PAGE = 2000;
/** Servers whose events one statement writes. */
const WRITTEN_AT_ONCE = 500;
/** The pause after a statement that writes, in milliseconds. */
const REST = 5;
/**
 * The watch looks at the moment so long ago. A request waits for 3 seconds at most, so no check-in of before is still on
 * its way, and what is written here is never denied by it.
 */
const MARGIN = 5 * SECOND;
/** Servers that fell silent so long ago are no longer compared. */
const FALLEN_LATELY = 5 * MINUTE;
/** A cut that lasts longer is over once any server is heard: those that stay away have then failed. */
const LONGEST_CUT = 2 * HOUR;

const s = table("Server", "s");
const e = table("ServerEvent", "e");
const b = table("BlindTime", "b");
const instant = parameter<Date>("timestamptz");

type Fallen = readonly [id: number, lastSeenAt: number];

// Raw, because only the servers whose event is missing or of another kind leave the database.
const LOOK = statement(
  {
    after: s.id,
    silentBefore: instant,
    fallenSince: instant,
    kind: parameter<string>("text"),
    all: parameter<boolean>("boolean"),
  },
  ({ after, silentBefore, fallenSince, kind, all }) => {
    const isSilent = `page.at < ${silentBefore}`;
    return select(
      {
        until: new Expression<number | null>("max(page.id)"),
        heard: new Expression<number>(`count(*) filter (where not ${isSilent})::int`),
        fallen: new Expression<number[] | null>(
          `json_agg(${epochMs("page.at")}) filter (where ${isSilent} and page.at >= ${fallenSince})`,
        ),
        unrated: new Expression<number[] | null>(`json_agg(page.id order by page.id) filter (where page.unrated)`),
        wrong: new Expression<Fallen[] | null>(
          `json_agg(json_build_array(page.id, ${epochMs("page.at")}) order by page.id)
            filter (where ${isSilent} and (${all} or known.kind is distinct from ${kind}))`,
        ),
      },
      `from (
        select ${s.id} as id, case when ${s.latestSampleAt} is not null or ${s.lastSeenAt} <> ${s.createdAt}
          then ${s.lastSeenAt} end as at, ${s.unratedSince} is not null as unrated
        from ${s} where ${s.id} > ${after} order by ${s.id} limit ${PAGE}) page
      left join lateral (
        select ${e.kind} as kind from ${e} where ${isSilent} and ${e.serverId} = page.id and ${e.startedAt} > page.at
          and ${GOES_ON} and ${IS_SILENCE} limit 1) known on true`,
    );
  },
);

/** SQL of when the event of a condition began that goes on: one look-up, however many events a server has. */
const TOLD = `to_timestamp((conditions -> k.kind ->> 'told')::float8 / 1000)::timestamptz(3)`;
const ENDED = `array[${ENDED_BY_SILENCE.map((kind) => `'${kind}'`).join(", ")}]`;

const OPENED = {
  ids: parameter<readonly number[]>("int[]"),
  seen: parameter<readonly Date[]>("timestamptz[]"),
  kinds: parameter<readonly string[]>("text[]"),
  starts: parameter<readonly Date[]>("timestamptz[]"),
  ends: parameter<readonly (Date | null)[]>("timestamptz[]"),
  at: instant,
};

// Raw, because it writes only what still holds in this moment. It takes no lock on `servers` that a check-in waits for, and
// never changes an event that has ended since: the check-in that ended it knew better.
const OPEN = statement(OPENED, ({ ids, seen, kinds, starts, ends, at }) => ({
  sql: `with same as (
      select w.*, ${s.conditions} from unnest(${ids}, ${seen}, ${kinds}, ${starts}, ${ends}) as w (id, seen, kind, started_at, ended_at)
      join ${s} on ${s.id} = w.id and ${s.lastSeenAt} = w.seen),
    gone as (delete from ${e} using (select distinct id, seen from same) one
      where ${e.serverId} = one.id and ${e.startedAt} > one.seen and ${IS_SILENCE}
        and coalesce(${e.endedAt}, ${at}) <= ${at}
        and not exists (select from same w where w.id = one.id and w.started_at = ${e.startedAt} and w.kind = ${e.kind})),
    ended as (update ${e} set ${e.endedAt.name} = greatest(${e.startedAt}, told.seen + interval '${ONLINE_WINDOW} ms')
      from (select distinct same.id, seen, k.kind, ${TOLD} as began from same, unnest(${ENDED}) as k (kind)) told
      where ${e.serverId} = told.id and ${e.kind} = told.kind and ${e.startedAt} = told.began and ${e.endedAt} is null)
  insert into server_events as e (server_id, kind, started_at, ended_at)
    select id, kind, started_at, ended_at from same order by id, started_at
  on conflict (server_id, started_at, kind) do update set ended_at = excluded.ended_at
    where ${e.endedAt} is null and excluded.ended_at is not null`,
}));

// Raw, because another program may have written `last_seen_at`: what it ended ends here. An event that begins after a
// check-in which it does not know of never happened.
const END_STALE = statement({}, () => ({
  sql: `with open as (
      select ${e.id} as id, ${e.startedAt} as began, ${s.lastSeenAt} as seen from ${e} join ${s} on ${s.id} = ${e.serverId}
      where ${e.endedAt} is null and ${IS_SILENCE} and ${s.lastSeenAt} > ${e.startedAt} - interval '${ONLINE_WINDOW} ms'),
    gone as (delete from ${e} using open where ${e.id} = open.id and open.seen <= open.began)
  update ${e} set ${e.endedAt.name} = open.seen from open
  where ${e.id} = open.id and open.seen > open.began and ${e.endedAt} is null`,
}));

const OPEN_CUT = statement({}, () =>
  select(
    { id: b.id, from: b.startedAt, fallen: b.fallen },
    `from ${b} where ${b.cause} = 'cut' and ${b.endedAt} is null`,
  ),
);
const BEGIN_CUT = statement({ from: b.startedAt, fallen: b.fallen }, ({ from, fallen }) => ({
  sql: `insert into blind_times (cause, started_at, fallen) select 'cut', ${from}, ${fallen}
    where not exists (select from ${b} where ${b.cause} = 'cut' and ${b.endedAt} is null)
    on conflict (started_at, cause) do nothing`,
}));
// The end is the moment in which half of the servers had been heard again; at the latest, the moment of looking.
const END_CUT = statement(
  { id: b.id, at: instant, from: instant, until: instant, back: parameter<number>("int") },
  ({ id, at, from, until, back }) => ({
    sql: `update ${b} set ${b.endedAt.name} = greatest(${b.startedAt}, coalesce((
      select min(ended_at) from (
        select ${e.endedAt} as ended_at, row_number() over (order by ${e.endedAt}) as place from ${e}
        where ${e.endedAt} >= ${from} and ${e.endedAt} <= ${at} and ${e.startedAt} between ${from} and ${until} and ${IS_SILENCE}) back
      where place = ${back}), ${at})) where ${b.id} = ${id} and ${b.endedAt} is null`,
  }),
);

const UNSETTLED = statement({}, () =>
  select(
    { id: b.id, from: b.startedAt, to: b.endedAt },
    `from ${b} where not ${b.settled} and ${b.endedAt} is not null order by ${b.id} limit 100`,
  ),
);
const SETTLED = statement({ ids: parameter<readonly number[]>("int[]") }, ({ ids }) => ({
  sql: `update ${b} set ${b.settled.name} = true where ${b.id} = any(${ids})`,
}));
const TOLD_WRONG = statement({ from: instant, to: instant }, ({ from, to }) =>
  select(
    { id: e.id, serverId: e.serverId, kind: e.kind, from: e.startedAt, to: e.endedAt },
    `from ${e} where ${e.endedAt} > ${from} and ${e.startedAt} < ${to} and ${e.kind} in ('offline', 'unreachable')
    order by ${e.id} limit ${PAGE}`,
  ),
);
const CORRECT = statement(
  {
    id: e.id,
    serverId: e.serverId,
    kinds: parameter<readonly string[]>("text[]"),
    starts: parameter<readonly Date[]>("timestamptz[]"),
    ends: parameter<readonly Date[]>("timestamptz[]"),
  },
  ({ id, serverId, kinds, starts, ends }) => ({
    sql: `with gone as (delete from ${e} where ${e.id} = ${id} and not exists (
        select from unnest(${kinds}, ${starts}) w (kind, started_at) where w.kind = ${e.kind} and w.started_at = ${e.startedAt}))
    insert into server_events as e (server_id, kind, started_at, ended_at)
      select ${serverId}, w.* from unnest(${kinds}, ${starts}, ${ends}) w where exists (select from ${s} where ${s.id} = ${serverId})
    on conflict (server_id, started_at, kind) do update set ended_at = excluded.ended_at`,
  }),
);

/**
 * Writes the events of servers that are silent at `now` (epoch ms), corrects those of times in which the console was blind,
 * notices that the way of many was cut, and rates the samples of other programs. It may be repeated, cut off, or run twice at once.
 */
export async function watchServers(now: number): Promise<void> {
  const at = now - MARGIN;
  await execute(END_STALE, {});
  const unsettled = await query(UNSETTLED, {});
  const [cut] = await query(OPEN_CUT, {});
  const blind = await listBlindTimes(at - FALLEN_LATELY - ONLINE_WINDOW, now);
  const state = await lookAtServers(at, blind, unsettled.length > 0, cut);
  if (cut) {
    const isOver = 2 * stillFallen(cut, state.fallen) <= cut.fallen || (at - cut.from > LONGEST_CUT && state.heard > 0);
    if (isOver) await endCut(cut, at);
  } else {
    const isBlind = covers(withGrace(blind));
    const unexplained = state.fallen.toSorted((a, b) => a - b).filter((seen) => !isBlind(seen + ONLINE_WINDOW));
    const found = findCut(unexplained, state.heard);
    if (found) await execute(BEGIN_CUT, { from: new Date(found.from), fallen: found.fallen });
  }
  for (const { from, to } of unsettled) await correct({ from, to: to ?? at });
  await rateSamples(state.unrated, at);
  if (unsettled.length > 0) await execute(SETTLED, { ids: unsettled.map(({ id }) => id) });
}

async function lookAtServers(at: number, blind: readonly Span[], all: boolean, cut: Cut | undefined) {
  const state = { heard: 0, fallen: [] as number[], unrated: [] as number[] };
  // The last moment before `at` decides what kind of event goes on.
  const kind: SilenceKind = covers(withGrace(blind))(at - 1) ? "unknown" : "offline";
  const silentBefore = new Date(at - ONLINE_WINDOW);
  const since = silentBefore.getTime() - FALLEN_LATELY;
  const fallenSince = new Date(cut ? Math.min(since, cut.from) : since);
  for (let after = 0; ; ) {
    const [page] = await query(LOOK, { after, silentBefore, fallenSince, kind, all });
    if (!page || page.until === null) return state;
    state.heard += page.heard;
    state.fallen.push(...(page.fallen ?? []));
    state.unrated.push(...(page.unrated ?? []));
    for (let from = 0; from < (page.wrong?.length ?? 0); from += WRITTEN_AT_ONCE) {
      await open((page.wrong ?? []).slice(from, from + WRITTEN_AT_ONCE), at);
      await pause(REST);
    }
    after = page.until;
  }
}

/** Writes the events of silent servers as they are at `at`. */
async function open(servers: readonly Fallen[], at: number): Promise<void> {
  const first = Math.min(...servers.map(([, lastSeenAt]) => lastSeenAt));
  const blind = await listBlindTimes(first, at);
  const rows = servers.flatMap(([id, lastSeenAt]) =>
    openSilence(lastSeenAt, blind, at).map((event) => ({ id, seen: new Date(lastSeenAt), ...columnsOf(event) })),
  );
  await execute(OPEN, {
    ids: rows.map(({ id }) => id),
    seen: rows.map(({ seen }) => seen),
    kinds: rows.map(({ kind }) => kind),
    starts: rows.map(({ startedAt }) => startedAt),
    ends: rows.map(({ endedAt }) => endedAt),
    at: new Date(at),
  });
}

async function endCut({ id, ...cut }: Cut & { id: number }, at: number): Promise<void> {
  const from = cut.from + ONLINE_WINDOW;
  await execute(END_CUT, {
    id,
    at: new Date(at),
    from: new Date(from),
    until: new Date(from + TOGETHER),
    back: enoughBack(cut),
  });
}

/** Of servers that were silent in a blind time nothing is known. */
async function correct(blind: { from: number; to: number }): Promise<void> {
  const [{ to } = blind] = withGrace([blind]);
  for (;;) {
    const wrong = await query(TOLD_WRONG, { from: new Date(blind.from), to: new Date(to ?? blind.to) });
    for (const { id, serverId, ...event } of wrong) {
      const ended = { kind: event.kind as SilenceKind, from: event.from, to: event.to ?? blind.to };
      const events = withBlindTimes([ended], [blind]).map(columnsOf);
      await execute(CORRECT, {
        id,
        serverId,
        kinds: events.map(({ kind }) => kind),
        starts: events.map(({ startedAt }) => startedAt),
        ends: events.map(({ endedAt }) => endedAt ?? new Date(blind.to)),
      });
    }
    if (wrong.length < PAGE || !(await pause(REST))) return;
  }
}

function columnsOf({ kind, from, to }: Span & { kind: SilenceKind }) {
  return { kind, startedAt: new Date(from), endedAt: to === null ? null : new Date(to) };
}
