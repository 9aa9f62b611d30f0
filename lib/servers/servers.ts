import type { ServerDetail, ServerList, ServerListItem } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import {
  type JsonOf,
  jsonRows,
  orNull,
  parameter,
  parseRows,
  select,
  statement,
  type ValuesOf,
} from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { NotFoundError } from "@/lib/failures";
import { parseId } from "@/lib/http/ids";
import { mapInTurns } from "@/lib/process/turns";
import {
  DAY_OF_SILENCES,
  type DayOutages,
  dayBefore,
  daySilences,
  MOST_OF_FLEET,
  outagesByServer,
} from "@/lib/servers/events/day-silences";
import { blindColumns, isBlindAt } from "@/lib/servers/events/presence";
import { ONLINE_WINDOW } from "@/lib/servers/events/silence";
import { mainCause, stabilityCause, worstComponent } from "@/lib/servers/health-breakdown";
import { type DayFacts, isRatedWell, type Need, needOf } from "@/lib/servers/health-level";
import {
  type Health,
  type HealthFacts,
  type Measurements,
  rateHealth,
  type Score,
  scoreHealth,
} from "@/lib/servers/health-score";
import { countsFrom, parseStabilityRecord, summariseStability } from "@/lib/servers/stability";
import {
  eachMeasurement,
  publishedRows,
  rolledUpValues,
  type Sample,
  type StoredSample,
  storedSampleOf,
} from "@/lib/servers/telemetry/measurements";

const s = table("Server", "s");
/** The columns of the list and those that the score needs, in the order of `rowOf`. */
const LISTED = [
  s.id,
  s.label,
  s.hostname,
  orNull(s.publicIp),
  s.createdAt,
  orNull(s.firstSeenAt),
  s.lastSeenAt,
  // `seen` is most of the column, and only check-ins need it.
  new Expression<JsonOf<unknown>>(`${s.stability} - 'seen'`, "json"),
  orNull(new Expression<unknown>(`${s.facts} -> 'cores'`, "json")),
  orNull(s.latestSampleAt),
  orNull(new Expression<StoredSample | null>(s.latestSample.sql, "json")),
] as const;
type ServerRow = ReturnType<typeof rowOf>;

// An object literal: objects whose names are known only when the program runs take thirty times as long to make.
function rowOf(values: readonly [...ValuesOf<typeof LISTED>, ...unknown[]]) {
  const [
    id,
    label,
    hostname,
    publicIp,
    createdAt,
    firstSeenAt,
    lastSeenAt,
    stability,
    cores,
    latestSampleAt,
    latestSample,
  ] = values;
  return {
    id,
    label,
    hostname,
    publicIp,
    createdAt,
    firstSeenAt,
    lastSeenAt,
    stability,
    cores,
    latestSampleAt,
    latestSample,
  };
}

// PostgreSQL writes the list as JSON. Reading a hundred servers row by row costs three times as much here.
const SERVERS = statement({ accountId: s.accountId }, ({ accountId }) =>
  select({ rows: jsonRows(LISTED, `${s.id}`) }, `from ${s} where ${s.accountId} = ${accountId}`),
);

/** What tells the events of a moment (epoch ms): since two minutes before, and the day before. */
const MOMENT = { since: parameter<Date>("timestamptz"), ...DAY_OF_SILENCES };
const momentOf = (now: number) => ({ since: new Date(now - ONLINE_WINDOW), ...dayBefore(now) });

// The same with the tags, which the API does not have, and whether the console is blind: fleet and events say the same at each
// moment.
const TAGGED_COLUMNS = [
  ...LISTED,
  new Expression<JsonOf<string[]>>(`coalesce(to_json(${s.tags}), '[]')`, "json"),
] as const;
const FLEET = statement({ accountId: s.accountId, ...MOMENT }, ({ accountId, since, ...day }) =>
  select(
    {
      rows: jsonRows(TAGGED_COLUMNS, `${s.id}`),
      ...blindColumns(since),
      days: daySilences(`${s.accountId} = ${accountId}`, day, MOST_OF_FLEET),
    },
    `from ${s} where ${s.accountId} = ${accountId}`,
  ),
);

const FACTS = new Expression<JsonOf<Record<string, unknown>>>(s.facts.sql, "json");

const DETAILED_COLUMNS = [...LISTED, FACTS] as const;
type DetailedValues = ValuesOf<typeof DETAILED_COLUMNS>;
const DETAILED = jsonRows(DETAILED_COLUMNS, `${s.id}`);

// Raw like the list, so that one server reads the same columns in the same way.
const SERVER = statement({ id: s.id, accountId: s.accountId }, ({ id, accountId }) =>
  select({ rows: DETAILED }, `from ${s} where ${s.id} = ${id} and ${s.accountId} = ${accountId}`),
);

const REPORTED = statement({ id: s.id, accountId: s.accountId, ...MOMENT }, ({ id, accountId, since, ...day }) =>
  select(
    {
      rows: DETAILED,
      ...blindColumns(since),
      days: daySilences(`${s.id} = ${id} and ${s.accountId} = ${accountId}`, day),
    },
    `from ${s} where ${s.id} = ${id} and ${s.accountId} = ${accountId}`,
  ),
);

const DETAILS = statement({ accountId: s.accountId }, ({ accountId }) =>
  select({ rows: DETAILED }, `from ${s} where ${s.accountId} = ${accountId}`),
);

/** The servers of an account, by id, each with its score of now (contract 4, rule 1). */
export async function listServers(accountId: number): Promise<ServerList> {
  const rows = await readRows(accountId);
  const now = Date.now();
  const serialize = (row: ServerRow) => serializeListItem(row, scoreHealth(factsOf(row, now), now).score, now);
  return { servers: await mapInTurns(rows, serialize) };
}

/** A server at `now` (epoch ms). @throws NotFoundError when there is no such server of this account (contract 4, rule 8). */
export async function getServer(accountId: number, idText: string, now?: number): Promise<ServerDetail> {
  const [answer] = await query(SERVER, { id: parseId(idText), accountId });
  const [values] = parseRows(answer?.rows);
  if (!values) throw new NotFoundError();
  return reportOf(values, now ?? Date.now(), false).server;
}

/** What the page of a server shows beside what the API answers. */
export type ServerReport = {
  server: ServerDetail;
  need: Need;
  day: DayFacts;
  /** False: the daemon never checked in, so the score says nothing yet. */
  hasCheckedIn: boolean;
  health: Health;
  /** Of the latest sample; null where nothing was measured. */
  current: CurrentValues;
  /** The score at a time (epoch ms) that is not before the latest check-in: it falls while nothing is heard. */
  scoreAt(time: number): number;
};

export type CurrentValues = Sample & { cores: number | null };

/** As `getServer`. @throws NotFoundError when there is no such server of this account. */
export async function getServerReport(accountId: number, idText: string, now?: number): Promise<ServerReport> {
  const [answer] = await query(REPORTED, { id: parseId(idText), accountId, ...momentOf(now ?? Date.now()) });
  const [values] = parseRows(answer?.rows);
  if (!answer || !values) throw new NotFoundError();
  const at = now ?? Date.now();
  return reportOf(values, at, isBlindAt(at, answer), outagesByServer(answer.days, at));
}

/** The servers of an account, by id, each as `getServer` answers it, all of one moment and in one statement. */
export async function listServerDetails(accountId: number): Promise<ServerDetail[]> {
  const [answer] = await query(DETAILS, { accountId });
  const now = Date.now();
  return mapInTurns(parseRows(answer?.rows), (values) => reportOf(values, now, false).server);
}

function reportOf(values: DetailedValues, now: number, isBlind: boolean, outages = NO_OUTAGES): ServerReport {
  const row = rowOf(values);
  const facts = factsOf(row, now);
  const health = rateHealth(facts, now);
  const day = dayOf(row, facts, outages);
  const server = {
    ...serializeListItem(row, health.score, now),
    created_at: row.createdAt,
    // Checked when it was reported: always an object.
    facts: values[LISTED.length],
    score_components: health.components,
    score_notes: health.notes,
    latest_sample: serializeSample(row),
  };
  return {
    server,
    need: needAt(row, health, now, isBlind, day),
    day,
    hasCheckedIn: hasCheckedIn(row),
    health,
    current: { ...(latestSampleOf(row) ?? eachMeasurement(() => null)), cores: facts.cores },
    scoreAt: (time) => scoreHealth(factsOf(row, time), time).score,
  };
}

/** A server as the page of a fleet shows it. */
export type FleetServer = ServerListItem & {
  tags: readonly string[];
  createdAt: number;
  hasCheckedIn: boolean;
  need: Need;
  /** Whether its score or a component makes it need attention, and not outages or restarts alone. */
  isRatedBadly: boolean;
  /** Percent, of the latest sample; null where nothing was measured. */
  cpuPct: number | null;
  memUsedPct: number | null;
  diskUsedPct: number | null;
  /** Why the score is not higher, in a few words. */
  cause: string | null;
  /** Whether that is its stability, which looks back on a day. */
  isUnstable: boolean;
  /** When the last outage of that day was over, or, without outages and restarts, a process was killed last (epoch ms). */
  lastBreakAt: number | null;
};

/** The servers of an account, by id, as the page of the fleet shows them, now or `at` a time (epoch ms). */
export async function listFleet(accountId: number, at?: number): Promise<FleetServer[]> {
  const { rows, now, isBlind, outages } = await readFleet(accountId, at);
  return mapInTurns(rows, ({ row, tags }) => {
    const facts = factsOf(row, now);
    const health = rateHealth(facts, now);
    const day = dayOf(row, facts, outages);
    const need = needAt(row, health, now, isBlind, day);
    const sample = latestSampleOf(row);
    const values = sample && rolledUpValues(sample);
    const unstable = need === "attention" ? stabilityCause(health, day) : null;
    const lastOutageAt = outages.get(row.id)?.lastOutageAt;
    return {
      ...serializeListItem(row, health.score, now),
      tags,
      createdAt: row.createdAt,
      hasCheckedIn: hasCheckedIn(row),
      need,
      isRatedBadly: need === "attention" && !isRatedWell(health),
      cpuPct: values?.cpuPct ?? null,
      memUsedPct: values?.memUsedPct ?? null,
      diskUsedPct: values?.diskUsedPct ?? null,
      cause: unstable ?? mainCause(health),
      isUnstable: unstable !== null || worstComponent(health) === "stability",
      lastBreakAt: lastOutageAt ?? (unstable && day.reboots === 0 ? (facts.stability?.lastOomAt ?? null) : null),
    };
  });
}

/** A server for fleet monitoring: the detail without facts and notes, its tags, and what it needs. */
export type ServerReading = ServerListItem &
  Pick<ServerDetail, "score_components" | "latest_sample"> & { need: Need; tags: readonly string[] };

/** The servers of an account, by id, each with its components and latest sample, in one statement. */
export async function listServerReadings(accountId: number): Promise<ServerReading[]> {
  const { rows, now, isBlind, outages } = await readFleet(accountId);
  return mapInTurns(rows, ({ row, tags }) => {
    const facts = factsOf(row, now);
    const { score, components } = scoreHealth(facts, now);
    return {
      ...serializeListItem(row, score, now),
      need: needAt(row, { score, components }, now, isBlind, dayOf(row, facts, outages)),
      tags,
      score_components: components,
      latest_sample: serializeSample(row),
    };
  });
}

async function readRows(accountId: number): Promise<ServerRow[]> {
  const [answer] = await query(SERVERS, { accountId });
  return mapInTurns(parseRows(answer?.rows), rowOf);
}

/** The rows of the fleet's page and of `/metrics`, their moment (epoch ms), and whether the console was away then. */
async function readFleet(accountId: number, at?: number) {
  const [answer] = await query(FLEET, { accountId, ...momentOf(at ?? Date.now()) });
  const rows = await mapInTurns(parseRows(answer?.rows), (values) => ({
    row: rowOf(values),
    tags: values[LISTED.length] as readonly string[],
  }));
  const now = at ?? Date.now();
  const isBlind = answer !== undefined && isBlindAt(now, answer);
  return { rows, now, isBlind, outages: outagesByServer(answer?.days ?? null, now) };
}

/** The tags of a server of the account, which has been found. */
export async function getTags(accountId: number, id: number): Promise<readonly string[]> {
  const server = await db.server.findFirst({ where: { id, accountId }, select: { tags: true } });
  return server?.tags ?? [];
}

function serializeListItem(row: ServerRow, score: number, now: number): ServerListItem {
  return {
    id: row.id,
    label: row.label,
    hostname: row.hostname,
    online: isOnline(row, now),
    score,
    last_seen: row.lastSeenAt,
    public_ip: row.publicIp,
  };
}

/** Omits measurements that the daemon did not make, because the contract allows no null (contract 2.3). */
function serializeSample({ latestSampleAt, latestSample }: ServerRow): ServerDetail["latest_sample"] {
  if (latestSampleAt === null) return null;
  const sample: NonNullable<ServerDetail["latest_sample"]> = { ts: latestSampleAt };
  for (const { name } of publishedRows) {
    const value = latestSample?.[name];
    if (value !== null && value !== undefined) sample[name] = value;
  }
  return sample;
}

/**
 * Whether a server has ever checked in (all times in epoch ms). Without a sample the two times of the server decide: they
 * are equal until the first check-in.
 */
export function hasCheckedIn({
  latestSampleAt,
  lastSeenAt,
  createdAt,
}: Pick<ServerRow, "latestSampleAt" | "lastSeenAt" | "createdAt">): boolean {
  return latestSampleAt !== null || lastSeenAt !== createdAt;
}

function isOnline(row: ServerRow, now: number): boolean {
  return hasCheckedIn(row) && now - row.lastSeenAt <= ONLINE_WINDOW;
}

/** The cores in the facts; another program may have written any value. */
export function coresOf(cores: unknown): number | null {
  return typeof cores === "number" && cores > 0 ? cores : null;
}

const NO_OUTAGES: ReadonlyMap<number, DayOutages> = new Map();

function dayOf({ id }: ServerRow, { stability }: HealthFacts, outages: ReadonlyMap<number, DayOutages>): DayFacts {
  const day = outages.get(id) ?? { outages: 0, reboots: 0 };
  // Stability forgets restarts by hours of the clock, up to an hour too early. Those of before there were events stand in it alone.
  return { ...day, reboots: Math.max(day.reboots, stability?.reboots ?? 0) };
}

function needAt(row: ServerRow, { score, components }: Score, now: number, isBlind: boolean, day: DayFacts): Need {
  const online = isOnline(row, now);
  return needOf({ hasCheckedIn: hasCheckedIn(row), online, isBlind, score, components, day });
}

function factsOf(row: ServerRow, now: number): HealthFacts {
  return {
    lastSeenAt: hasCheckedIn(row) ? row.lastSeenAt : null,
    cores: coresOf(row.cores),
    sample: measurementsOf(row),
    stability: summariseStability(parseStabilityRecord(row.stability), countsFrom(row), now),
  };
}

/** What the score needs of the latest sample; null when none has arrived. An object literal, for the reason at `rowOf`. */
function measurementsOf({ latestSampleAt, latestSample }: ServerRow): Measurements | null {
  if (latestSample === null || latestSampleAt === null) return null;
  return {
    ts: latestSampleAt,
    cpuPct: latestSample.cpu_pct ?? null,
    cpuStealPct: latestSample.cpu_steal_pct ?? null,
    cpuIowaitPct: latestSample.cpu_iowait_pct ?? null,
    load5: latestSample.load5 ?? null,
    memUsedMb: latestSample.mem_used_mb ?? null,
    memTotalMb: latestSample.mem_total_mb ?? null,
    swapUsedPct: latestSample.swap_used_pct ?? null,
    diskUsedPct: latestSample.disk_used_pct ?? null,
    netLossPct: latestSample.net_loss_pct ?? null,
    netRetransmitPct: latestSample.net_retransmit_pct ?? null,
    oomKills: latestSample.oom_kills ?? null,
  };
}

/** Null when no sample has arrived. `ts` is in epoch milliseconds. */
function latestSampleOf({ latestSampleAt, latestSample }: ServerRow): (Sample & { ts: number }) | null {
  return latestSample && latestSampleAt !== null ? storedSampleOf(latestSample, latestSampleAt) : null;
}
