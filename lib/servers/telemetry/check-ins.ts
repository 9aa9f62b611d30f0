import { makeDay } from "@/lib/database/partitions";
import { type Ask, transaction } from "@/lib/database/run-statement";
import { names, parameter, select, statement } from "@/lib/database/statement";
import { type Column, Expression, table } from "@/lib/database/tables";
import { NotFoundError } from "@/lib/failures";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import {
  type Conditions,
  type EventChange,
  nextStep,
  type Observation,
  observe,
} from "@/lib/servers/events/conditions";
import { changeEvents } from "@/lib/servers/events/events";
import { presentScore, rateSample, type Stability } from "@/lib/servers/health-score";
import { toldHostname } from "@/lib/servers/names";
import {
  HISTORY_MEASURES,
  type HistoryMeasure,
  MOST_IN_SAMPLE,
  rolledUpValues,
  type Sample,
  type StoredSample,
  storedOf,
} from "@/lib/servers/telemetry/measurements";
import type { ParsedReport } from "@/lib/servers/telemetry/report";

// A check-in is one short transaction: lock the server's row, read, rate, write. The check-ins of a server follow each other, so
// nothing is counted twice and nothing has to be put right afterwards. A sub-select in the locking statement would see hours as
// they were before the wait for the lock, so reading is a statement of its own. Locks are taken in this order everywhere: the
// server, then its rows.

/** At most one sample is stored in each span of the grid, in milliseconds. Daemons usually send one every thirty seconds. */
export const GRID = 10 * SECOND;
/** A longer pause between samples is a gap. A daemon checks in twice a minute and is offline after two minutes. */
export const LONGEST_PAUSE = 2.5 * MINUTE;
/** Two daemons that share a key take turns at checking in. After so long without a turn, one is assumed again. */
const TURNS_FOR = 10 * MINUTE;
/** Stability looks back on so many hours of the clock, the present one included. */
const HOURS = 24;
/** A key's use is written at most this often. */
const KEY_USE_PRECISION = MINUTE;
/** What PostgreSQL says when there is no partition for the day. */
const NO_PARTITION = "23514";

/** The time of a report and its origin. */
type Arrival = {
  /** The time of the measurement. It may lie back, because a daemon resends samples that it could not deliver. */
  sampledAt: Date;
  /** By PostgreSQL's clock. */
  arrivedAt: Date;
  /** The random name that the daemon gave itself when it started. */
  daemon?: string;
  /** The server key it came with, and from where. */
  key?: { id: number; ip: string | null };
};

/** What a sample was rated by besides itself: `servers.rated_by`. */
export type RatedBy = Stability & { cores: number | null };
/** What has to be remembered from one check-in to the next: `servers.follow`. Times in epoch milliseconds. */
type Follow = { conditions?: Conditions; daemons?: [last: string, before: string | null]; turnedAt?: number };

const s = table("Server", "s");
const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");
const k = table("ServerKey", "k");
const e = table("Event", "e");

const LOCK = statement({ id: s.id }, ({ id }) =>
  select(
    {
      accountId: s.accountId,
      firstSeenAt: s.firstSeenAt,
      offlineSince: s.offlineSince,
      sampledAt: s.sampledAt,
      cores: new Expression<unknown>(`${s.facts} -> 'cores'`),
      sample: new Expression<StoredSample | null>(s.sample.sql),
      ratedBy: new Expression<RatedBy | null>(s.ratedBy.sql),
      follow: new Expression<Follow>(s.follow.sql),
    },
    `from ${s} where ${s.id} = ${id} for no key update`,
  ),
);
type Known = NonNullable<(typeof LOCK)["row"]> & { id: number };

const milliseconds = (instant: string) => `(date_part('epoch', ${instant}) * 1000)::float8`;
// Of the last hour, the minutes in the mask alone. The console's own absence is an event of its own.
const DAY = statement(
  {
    id: h.serverId,
    from: h.hour,
    hour: h.hour,
    mask: parameter<string>("bigint"),
    since: parameter<Date>("timestamptz"),
    until: parameter<Date>("timestamptz"),
  },
  ({ id, from, hour, mask, since, until }) =>
    select(
      {
        reboots: new Expression<number>(`coalesce(sum(${h.reboots}), 0)::int`),
        oomKills: new Expression<number>(`coalesce(sum(${h.oomKills}), 0)::float8`),
        lastOomAt: new Expression<Date | null>(`max(${h.oomAt}) filter (where ${h.oomAt} <= ${until})`, "instant"),
        minutes: new Expression<number>(
          `coalesce(sum(bit_count((case when ${h.hour} = ${hour} then ${h.seen} & ${mask} else ${h.seen} end)::bit(64))), 0)::int`,
        ),
        awayMs: new Expression<number>(`coalesce((
          select sum(${milliseconds(`least(${e.endedAt}, ${until}) - greatest(${e.startedAt}, ${since})`)}) from ${e}
          where ${e.subjectId} = 0 and ${e.subject} = 'console' and ${e.startedAt} < ${until} and ${e.endedAt} > ${since}), 0)`),
      },
      `from ${h} where ${h.serverId} = ${id} and ${h.hour} between ${from} and ${hour}`,
    ),
);

/** A column for each measure; one without a column does not compile. */
type Drawn = Readonly<Record<HistoryMeasure, Column<number | null>>>;
const drawn: Drawn = t;
const real = parameter<number | null>("real");
const VALUES = Object.fromEntries(HISTORY_MEASURES.map((measure) => [measure, real])) as Record<
  HistoryMeasure,
  typeof real
>;
type Values = Record<HistoryMeasure, number | null>;

const SAMPLE = statement({ serverId: t.serverId, at: t.at, ...VALUES }, ({ serverId, at, ...values }) => ({
  ...select({ at: t.at }),
  sql: `insert into telemetry_samples (${names(t.serverId, t.at, ...HISTORY_MEASURES.map((measure) => drawn[measure]))})
    values (${serverId}, ${at}, ${HISTORY_MEASURES.map((measure) => values[measure]).join(", ")})
    on conflict do nothing returning server_id`,
}));

const bands = HISTORY_MEASURES.map((measure) => {
  const [min, avg, max] = [h[`${measure}Min`].name, h[`${measure}Avg`].name, h[`${measure}Max`].name];
  return { measure, min, avg, max, count: h[`${measure}Count`].name };
});
// `least` and `greatest` pass over nulls.
const moved = bands.map(({ min, avg, max, count }) => {
  const before = `coalesce(h.${count}, h.samples)`;
  return `${min} = least(h.${min}, excluded.${min}), ${max} = greatest(h.${max}, excluded.${max}),
      ${avg} = coalesce(h.${avg} + (excluded.${avg} - h.${avg}) / (${before} + 1), h.${avg}, excluded.${avg}),
      ${count} = ${before} + excluded.${count}`;
});
const figuresOf = (value: string) => `${value}, ${value}, ${value}, (${value} is not null)::int`;
const HOURLY = statement(
  {
    ...{ serverId: h.serverId, hour: h.hour, seen: parameter<string>("bigint"), reboots: h.reboots },
    ...{ oomKills: h.oomKills, oomAt: h.oomAt, ...VALUES },
  },
  ({ serverId, hour, seen, reboots, oomKills, oomAt, ...values }) => ({
    sql: `insert into telemetry_hours as h (server_id, hour, seen, samples, reboots, oom_kills, oom_at,
        ${bands.map(({ min, avg, max, count }) => [min, avg, max, count].join(", ")).join(", ")})
      values (${serverId}, ${hour}, ${seen}, 1, ${reboots}, ${oomKills}, ${oomAt},
        ${bands.map(({ measure }) => figuresOf(values[measure])).join(", ")})
      on conflict (server_id, hour) do update set seen = h.seen | excluded.seen, samples = h.samples + 1,
        reboots = h.reboots + excluded.reboots, oom_kills = least(h.oom_kills::bigint + excluded.oom_kills, 2147483647),
        oom_at = greatest(h.oom_at, excluded.oom_at), ${moved.join(", ")}`,
  }),
);

const TOLD = {
  id: s.id,
  heardAt: parameter<Date>("timestamptz"),
  arrivedAt: parameter<Date>("timestamptz"),
  follow: parameter<string>("json"),
  facts: parameter<string | null>("jsonb"),
  publicIp: parameter<string | null>("text"),
  hostname: parameter<string | null>("text"),
  keyId: parameter<number | null>("int"),
  keyIp: parameter<string | null>("text"),
  keyNotSince: parameter<Date>("timestamptz"),
};
const told = (given: { [Name in keyof typeof TOLD]: string }, more = "") => `
  with used as (update ${k} set last_used_at = ${given.arrivedAt}, last_used_ip = ${given.keyIp}
    where ${k.id} = ${given.keyId} and (${k.lastUsedAt} is null or ${k.lastUsedAt} <= ${given.keyNotSince}))
  update ${s} set last_seen_at = greatest(${s.lastSeenAt}, ${given.arrivedAt}), offline_since = null, refusal = null, refused_since = null,
    first_seen_at = least(${s.firstSeenAt}, ${given.heardAt}), follow = ${given.follow},
    facts = coalesce(${given.facts}, ${s.facts}), public_ip = coalesce(${given.publicIp}, ${s.publicIp}),
    hostname = case when ${s.hostname} = '' then coalesce(${given.hostname}, '') else ${s.hostname} end${more}
  where ${s.id} = ${given.id}`;
const HEARD = statement(TOLD, (given) => ({ sql: told(given) }));
const PRESENT = {
  sampledAt: parameter<Date>("timestamptz"),
  sample: parameter<string>("json"),
  ratedBy: parameter<string>("json"),
  ...{ cpu: s.cpu, memory: s.memory, disk: s.disk, network: s.network, stability: s.stability },
};
const MEASURED = statement({ ...TOLD, ...PRESENT }, (given) => ({
  sql: told(
    given,
    `, sampled_at = ${given.sampledAt}, sample = ${given.sample}, rated_by = ${given.ratedBy}, cpu = ${given.cpu},
    memory = ${given.memory}, disk = ${given.disk}, network = ${given.network}, stability = ${given.stability}`,
  ),
}));

/**
 * Stores a report that is checked already. False: there was no sample, or its place on the grid is taken, because it was sent
 * before, or another one of the same ten seconds was.
 * @throws NotFoundError for an unknown server.
 */
export async function storeCheckIn(serverId: number, report: ParsedReport, arrival: Arrival): Promise<boolean> {
  const attempt = () => transaction((ask) => store(ask, serverId, report, arrival));
  try {
    return await attempt();
  } catch (error) {
    if ((error as { code?: string }).code !== NO_PARTITION) throw error;
    // Days are made in advance, but no console may have run for weeks.
    await makeDay("telemetry_samples", arrival.sampledAt.getTime());
    return attempt();
  }
}

async function store(ask: Ask, serverId: number, report: ParsedReport, arrival: Arrival): Promise<boolean> {
  const [row] = await ask(LOCK, { id: serverId });
  if (!row) throw new NotFoundError();
  const known = { ...row, id: serverId };
  const [now, sampledAt] = [arrival.arrivedAt.getTime(), arrival.sampledAt.getTime()];
  const rated = report.sample ? await rate(ask, known, report.sample, report.facts?.cores, arrival) : null;
  // A late report says nothing of the present, but that the daemon is there.
  const isLate = rated !== null && !rated.isNewest;
  const observed = rated && !isLate ? observe(rated.sample, rated.present, sampledAt, now) : [];
  const { follow, changes } = followed(known, arrival, observed);
  const given = isLate ? {} : report;
  const heard = {
    id: serverId,
    // A clock that is ahead has heard nothing yet.
    heardAt: new Date(Math.min(sampledAt, now)),
    arrivedAt: arrival.arrivedAt,
    follow: JSON.stringify(follow),
    facts: given.facts ? JSON.stringify(given.facts) : null,
    publicIp: given.publicIp ?? null,
    hostname: toldHostname(report.facts?.hostname),
    keyId: arrival.key?.id ?? null,
    keyIp: arrival.key?.ip ?? null,
    keyNotSince: new Date(now - KEY_USE_PRECISION),
  };
  const isStored = rated !== null && (await storeSample(ask, serverId, rated, sampledAt));
  if (isStored && !isLate) await ask(MEASURED, { ...heard, ...presentOf(rated, arrival.sampledAt) });
  else await ask(HEARD, heard);
  if (isStored) changes.push(...momentsOf(rated, sampledAt));
  if (row.offlineSince !== null) changes.push({ kind: "offline", from: row.offlineSince, to: now });
  await changeEvents(ask, { accountId: row.accountId, id: serverId }, changes);
  return isStored;
}

type Rating = Awaited<ReturnType<typeof rate>>;

/** Rates a sample as of its own time, by the 24 hours before it. */
async function rate(ask: Ask, known: Known, sample: Sample, coresTold: number | undefined, arrival: Arrival) {
  const sampledAt = arrival.sampledAt.getTime();
  const hour = Math.floor(sampledAt / HOUR) * HOUR;
  const from = hour - (HOURS - 1) * HOUR;
  const since = Math.max(from, Math.min(known.firstSeenAt ?? sampledAt, sampledAt));
  const [day] = await ask(DAY, {
    id: known.id,
    from: new Date(from),
    hour: new Date(hour),
    mask: String((1n << BigInt(Math.floor((sampledAt - hour) / MINUTE))) - 1n),
    since: new Date(since),
    until: arrival.sampledAt,
  });
  if (!day) throw new Error("An aggregate has one row.");
  const isNewest = known.sampledAt === null || sampledAt > known.sampledAt;
  // Only the newest sample shows a restart: a late one lies between two that have shown it. Another machine shows none.
  const uptimeBefore = known.sample?.uptime_s ?? null;
  const hasRestarted = uptimeBefore !== null && sample.uptimeS !== null && sample.uptimeS < uptimeBefore;
  const reboots = Number(isNewest && hasRestarted && !takesTurn(known.follow, arrival.daemon));
  const kills = sample.oomKills ?? 0;
  const expected = Math.floor(sampledAt / MINUTE) - Math.floor(since / MINUTE) - Math.ceil(day.awayMs / MINUTE);
  const cores = coresOf(coresTold ?? known.cores);
  const ratedBy: RatedBy = {
    coveragePct: expected <= 0 ? 100 : Math.min(1, day.minutes / expected) * 100,
    reboots: day.reboots + reboots,
    oomKills: Math.min(day.oomKills + kills, MOST_IN_SAMPLE),
    failedUnits: sample.failedUnits ?? known.ratedBy?.failedUnits ?? 0,
    lastOomAt: kills > 0 ? sampledAt : day.lastOomAt,
    cores,
  };
  const points = rateSample({ ...sample, ts: sampledAt }, cores, ratedBy);
  const present = presentScore({ rated: points, sampledAt, lastSeenAt: sampledAt }, sampledAt);
  return { sample, isNewest, reboots, kills, ratedBy, points, present };
}

/** The cores in the facts, which hold whatever a daemon reported. */
function coresOf(cores: unknown): number | null {
  return typeof cores === "number" && cores > 0 ? cores : null;
}

/** A daemon takes a new name at each start, so a name that returns proves a second one. */
function takesTurn({ daemons }: Follow, daemon: string | undefined): boolean {
  return daemon !== undefined && daemon !== daemons?.[0] && daemon === daemons?.[1];
}

/** `agent.sh once` is named by its machine. Beside a daemon it proves nothing, since it may be run on the same machine. */
const isOnce = (name: string | null | undefined) => name?.startsWith("machine-") ?? false;

/** What goes on after this check-in, and what begins or ends with it. */
function followed({ follow, sampledAt }: Known, arrival: Arrival, observed: readonly Observation[]) {
  const { daemons, conditions: before = {} } = follow;
  const { daemon } = arrival;
  const now = arrival.arrivedAt.getTime();
  const provesTwo = takesTurn(follow, daemon) && isOnce(daemon) === isOnce(daemons?.[0]);
  const turnedAt = provesTwo ? now : follow.turnedAt;
  // A turn far ahead was taken before PostgreSQL's clock jumped back.
  const areTwo = turnedAt !== undefined && Math.abs(now - turnedAt) < TURNS_FOR;
  const two: Observation = { kind: "two_daemons", at: now, is: areTwo, facts: {} };
  const hasPaused = sampledAt !== null && arrival.sampledAt.getTime() - sampledAt > LONGEST_PAUSE;
  const { conditions, changes } = nextStep(before, hasPaused, [...observed, two]);
  const isNew = daemon !== undefined && daemon !== daemons?.[0];
  const next: Follow = {
    conditions,
    ...(isNew ? { daemons: [daemon, daemons?.[0] ?? null] } : daemons && { daemons }),
    ...(areTwo && { turnedAt }),
  };
  return { follow: next, changes };
}

function momentsOf({ sample: { uptimeS }, reboots, kills }: Rating, at: number): EventChange[] {
  const bootedAt = at - Math.round((uptimeS ?? 0) * SECOND);
  return [
    ...(reboots > 0 ? [{ kind: "rebooted", from: bootedAt, to: bootedAt, facts: {} } as const] : []),
    ...(kills > 0 ? [{ kind: "process_killed", from: at, to: at, facts: { count: kills } } as const] : []),
  ];
}

/** Stores a sample and moves its hour on. False: its place on the grid is taken. */
async function storeSample(
  ask: Ask,
  serverId: number,
  { sample, reboots, kills, present }: Rating,
  sampledAt: number,
): Promise<boolean> {
  const hour = Math.floor(sampledAt / HOUR) * HOUR;
  const values: Values = { score: present.score, ...rolledUpValues(sample) };
  const at = new Date(Math.floor(sampledAt / GRID) * GRID);
  const stored = await ask(SAMPLE, { serverId, at, ...values });
  if (stored.length === 0) return false;
  await ask(HOURLY, {
    ...{ serverId, hour: new Date(hour), reboots, oomKills: kills, ...values },
    seen: String(1n << BigInt(Math.floor((sampledAt - hour) / MINUTE))),
    oomAt: kills > 0 ? new Date(sampledAt) : null,
  });
  return true;
}

/** The columns of the present. */
function presentOf({ sample, ratedBy, points }: Rating, sampledAt: Date) {
  return { sampledAt, sample: JSON.stringify(storedOf(sample)), ratedBy: JSON.stringify(ratedBy), ...points };
}
