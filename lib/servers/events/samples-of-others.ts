import { execute, query } from "@/lib/database/run-statement";
import { epochMs, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { HOUR } from "@/lib/format/time";
import { pause } from "@/lib/process/background";
import { type CheckInEvents, checkInEvents, hasRestarted } from "@/lib/servers/events/check-in-events";
import { type Conditions, nextStep } from "@/lib/servers/events/conditions";
import { observationsOf } from "@/lib/servers/events/observations";
import { ONLINE_WINDOW } from "@/lib/servers/events/silence";
import { GOES_ON } from "@/lib/servers/events/silence-statements";
import { coresOf } from "@/lib/servers/servers";
import { LONGEST_PAUSE } from "@/lib/servers/stability";
import { LATEST_SAMPLE } from "@/lib/servers/telemetry/latest-sample";
import { type StoredSample, storedSampleOf } from "@/lib/servers/telemetry/measurements";

// Other programs write samples too. A trigger notes since when samples of a server are not rated yet; the watch takes the steps
// that a check-in would have taken.

/** Servers of one look, and of one statement. The others have their turn at the next look: each reads all that came meanwhile. */
const SERVERS_OF_A_LOOK = 500;
const SERVERS_AT_ONCE = 50;
/** Older samples say nothing about the present, and at most so many of a server are rated at once. */
const LOOKED_BACK = HOUR;
const SAMPLES_AT_ONCE = 400;
/** The pause between two statements, in milliseconds. */
const REST = 5;

const s = table("Server", "s");
const t = table("TelemetrySample", "t");
const e = table("ServerEvent", "e");
const instant = parameter<Date>("timestamptz");

type StoredAt = readonly [ts: number, sample: StoredSample];
type Before = readonly [ts: number, uptimeS: number | null, failedUnits: number | null];
const STATE = `md5(concat(${s.conditions}, ${s.unratedSince}, ${s.latestSampleAt}))`;

// Raw, because the samples of many servers are one statement, each read by the primary key. Late ones are about the past.
const UNRATED = statement({ ids: parameter<readonly number[]>("int[]"), since: instant }, ({ ids, since }) =>
  select(
    {
      id: s.id,
      state: new Expression<string>(STATE),
      conditions: new Expression<Conditions | null>(s.conditions.sql),
      cores: new Expression<unknown>(`${s.facts} -> 'cores'`),
      lastSeenAt: s.lastSeenAt,
      lastOomAt: new Expression<number | null>(`(${s.stability} ->> 'last_oom_at')::float8`),
      before: new Expression<Before | null>(`(
        select json_build_array(${epochMs(t.ts)}, ${t.uptimeS}, ${t.failedUnits}) from ${t}
        where ${t.serverId} = ${s.id} and ${t.ts} < greatest(${s.unratedSince}, ${since}) and ${t.ts} >= ${since} - interval '1 day'
        order by ${t.ts} desc limit 1)`),
      samples: new Expression<StoredAt[] | null>(`(
        select json_agg(json_build_array(t.at, t.sample) order by t.at) from (
          select ${epochMs(t.ts)} as at, ${LATEST_SAMPLE} as sample from ${t}
          where ${t.serverId} = ${s.id} and ${t.ts} >= greatest(${s.unratedSince}, ${since}) and ${t.arrivedAt} is null
          order by ${t.ts} limit ${SAMPLES_AT_ONCE}) t)`),
    },
    `from ${s} where ${s.id} = any(${ids}) and ${s.unratedSince} is not null`,
  ),
);

const RATED = {
  ids: parameter<readonly number[]>("int[]"),
  states: parameter<readonly string[]>("text[]"),
  conditions: parameter<readonly (string | null)[]>("text[]"),
  unrated: parameter<readonly (Date | null)[]>("timestamptz[]"),
  eventIds: parameter<readonly number[]>("int[]"),
  kinds: parameter<readonly string[]>("text[]"),
  starts: parameter<readonly Date[]>("timestamptz[]"),
  ends: parameter<readonly (Date | null)[]>("timestamptz[]"),
  facts: parameter<readonly string[]>("text[]"),
  working: parameter<readonly number[]>("int[]"),
  workSince: parameter<readonly Date[]>("timestamptz[]"),
};

// Raw, because the rows and their events are one statement. It skips a server whose row is locked or has changed: the next look
// finds it again.
const RATE = statement(
  RATED,
  ({ ids, states, conditions, unrated, eventIds, kinds, starts, ends, facts, ...units }) => ({
    sql: `with same as (
      select ${s.id} as id, w.conditions, w.unrated from ${s}
      join unnest(${ids}, ${states}, ${conditions}, ${unrated}) as w (id, state, conditions, unrated) on w.id = ${s.id}
      where ${STATE} = w.state order by ${s.id} for no key update of s skip locked),
    happened as (
      insert into server_events as e (server_id, kind, started_at, ended_at, facts)
        select same.id, w.kind, w.started_at, w.ended_at, w.facts::jsonb
        from unnest(${eventIds}, ${kinds}, ${starts}, ${ends}, ${facts}) as w (id, kind, started_at, ended_at, facts)
        join same on same.id = w.id
      on conflict (server_id, started_at, kind) do update set ended_at = excluded.ended_at, facts = e.facts || excluded.facts),
    works as (
      update ${e} set ${e.endedAt.name} = w.since from unnest(${units.working}, ${units.workSince}) as w (id, since) join same using (id)
      where ${e.serverId} = w.id and ${e.startedAt} <= w.since and ${e.kind} = 'unit_failed' and ${GOES_ON})
  update ${s} set ${s.conditions.name} = same.conditions::jsonb, ${s.unratedSince.name} = same.unrated
  from same where ${s.id} = same.id`,
  }),
);

/** Rates the samples of these servers that other programs wrote, as of `at` (epoch ms). */
export async function rateSamples(ids: readonly number[], at: number): Promise<void> {
  for (let from = 0; from < Math.min(ids.length, SERVERS_OF_A_LOOK); from += SERVERS_AT_ONCE) {
    const since = new Date(at - LOOKED_BACK);
    const servers = await query(UNRATED, { ids: ids.slice(from, from + SERVERS_AT_ONCE), since });
    const rated = servers.map((server) => ({ ...server, ...rate(server) }));
    const events = rated.flatMap(({ id, events }) => events.map((event) => ({ id, ...event })));
    const working = rated.flatMap(({ id, workSince }) => (workSince === null ? [] : [{ id, at: new Date(workSince) }]));
    await execute(RATE, {
      ids: rated.map(({ id }) => id),
      states: rated.map(({ state }) => state),
      conditions: rated.map(({ conditions }) => conditions && JSON.stringify(conditions)),
      unrated: rated.map(({ unratedSince }) => unratedSince),
      eventIds: events.map(({ id }) => id),
      kinds: events.map(({ kind }) => kind),
      starts: events.map((event) => new Date(event.from)),
      ends: events.map(({ to }) => (to === null ? null : new Date(to))),
      facts: events.map(({ facts }) => JSON.stringify(facts)),
      working: working.map(({ id }) => id),
      workSince: working.map(({ at }) => at),
    });
    if (!(await pause(REST))) return;
  }
}

type Unrated = {
  conditions: Conditions | null;
  cores: unknown;
  lastSeenAt: number;
  lastOomAt: number | null;
  before: Before | null;
  samples: StoredAt[] | null;
};

function rate({ conditions: known, cores, lastSeenAt, lastOomAt, before, samples }: Unrated) {
  const facts = { cores: coresOf(cores), lastOomAt };
  const events: CheckInEvents["events"] = [];
  let conditions = known;
  let [heard, uptimeS, failedUnits] = before ?? [null, null, null];
  let workSince: number | null = null;
  for (const [ts, stored] of samples ?? []) {
    // A longer time without samples is an end of what is known, as before a check-in.
    const pausedAt = heard !== null && ts - heard > LONGEST_PAUSE ? heard + ONLINE_WINDOW : null;
    // A program that writes samples alone leaves its server offline.
    const isSilent = ts > lastSeenAt + ONLINE_WINDOW;
    const sample = storedSampleOf(stored, ts);
    const step = nextStep(conditions, pausedAt, isSilent ? [] : observationsOf(sample, facts));
    conditions = step.conditions;
    const units = { before: failedUnits ?? 0, after: sample.failedUnits ?? failedUnits ?? 0 };
    const told = checkInEvents({
      ...{ sampledAt: ts, arrivedAt: ts, isNewest: true, conditions: step.events },
      restarts: Number(hasRestarted(uptimeS, sample.uptimeS)),
      uptimeS: sample.uptimeS,
      kills: { at: ts, count: sample.oomKills ?? 0 },
      failedUnits: units,
      twoDaemonsAt: { before: null, after: null },
    });
    events.push(...told.events);
    const failure = events.findLast(({ kind, to }) => kind === "unit_failed" && to === null);
    if (failure && told.unitsWorkSince !== null) failure.to = told.unitsWorkSince;
    else workSince ??= told.unitsWorkSince;
    [heard, uptimeS, failedUnits] = [ts, sample.uptimeS, units.after];
  }
  const isAll = (samples?.length ?? 0) < SAMPLES_AT_ONCE;
  return {
    conditions,
    events: merged(events),
    workSince,
    unratedSince: isAll || heard === null ? null : new Date(heard + 1),
  };
}

/** One row for each event: it may have begun and ended in these samples. */
function merged(events: CheckInEvents["events"]): CheckInEvents["events"] {
  const byKey = new Map<string, CheckInEvents["events"][number]>();
  for (const event of events) {
    const key = `${event.kind} ${event.from}`;
    byKey.set(key, { ...event, facts: { ...byKey.get(key)?.facts, ...event.facts } });
  }
  return [...byKey.values()];
}
