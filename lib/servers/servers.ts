import type { ServerDetail, ServerList, ServerListItem } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { query } from "@/lib/database/run-statement";
import { type JsonOf, jsonRows, orNull, parseRows, select, statement, type ValuesOf } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { NotFoundError } from "@/lib/failures";
import { parseId } from "@/lib/http/ids";
import { mapInTurns } from "@/lib/process/turns";
import { type DayOfServer, listDays } from "@/lib/servers/events/days";
import { ONLINE_WINDOW } from "@/lib/servers/events/events";
import { mainCause, stabilityCause, worstComponent } from "@/lib/servers/health-breakdown";
import { type Need, needOf } from "@/lib/servers/health-level";
import { type Health, presentScore, type Rated, rateHealth, type Score } from "@/lib/servers/health-score";
import type { RatedBy } from "@/lib/servers/telemetry/check-ins";
import {
  eachMeasurement,
  publishedRows,
  rolledUpValues,
  type Sample,
  type StoredSample,
  storedSampleOf,
} from "@/lib/servers/telemetry/measurements";

// The list, the detail, the fleet, /metrics and MCP read the stored components of the newest sample and fade them by its age. So
// they say the same, and the same as the history. `now` is PostgreSQL's, by which check-ins are dated.

const s = table("Server", "s");
/** The columns of the list, in the order of `rowOf`. */
const LISTED = [
  s.id,
  s.label,
  s.hostname,
  orNull(s.publicIp),
  s.createdAt,
  orNull(s.lastSeenAt),
  orNull(s.sampledAt),
  orNull(s.cpu),
  orNull(s.memory),
  orNull(s.disk),
  orNull(s.network),
  orNull(s.stability),
] as const;
type ServerRow = ReturnType<typeof rowOf>;

// An object literal: objects whose names are known only when the program runs take thirty times as long to make.
function rowOf(values: readonly [...ValuesOf<typeof LISTED>, ...unknown[]]) {
  const [id, label, hostname, publicIp, createdAt, lastSeenAt, sampledAt, cpu, memory, disk, network, stability] =
    values;
  const rated: Rated = { cpu, memory, disk, network, stability };
  return { id, label, hostname, publicIp, createdAt, lastSeenAt, sampledAt, rated };
}

const NOW = new Expression<Date>("now()", "instant");

// PostgreSQL writes the list as JSON. Reading a hundred servers row by row costs three times as much here.
const SERVERS = statement({ accountId: s.accountId }, ({ accountId }) =>
  select({ now: NOW, rows: jsonRows(LISTED, `${s.id}`) }, `from ${s} where ${s.accountId} = ${accountId}`),
);

const MORE = [
  new Expression<JsonOf<Record<string, unknown>>>(s.facts.sql, "json"),
  orNull(new Expression<StoredSample | null>(s.sample.sql, "json")),
  orNull(new Expression<RatedBy | null>(s.ratedBy.sql, "json")),
  // The API does not have tags.
  new Expression<JsonOf<string[]>>(`coalesce(to_json(${s.tags}), '[]')`, "json"),
  orNull(s.refusal),
  orNull(s.refusedSince),
] as const;
const DETAILED = [...LISTED, ...MORE] as const;
const detailed = { now: NOW, rows: jsonRows(DETAILED, `${s.id}`) };

// Raw like the list, so that one server reads the same columns in the same way.
const SERVER = statement({ id: s.id, accountId: s.accountId }, ({ id, accountId }) =>
  select(detailed, `from ${s} where ${s.id} = ${id} and ${s.accountId} = ${accountId}`),
);
const DETAILS = statement({ accountId: s.accountId }, ({ accountId }) =>
  select(detailed, `from ${s} where ${s.accountId} = ${accountId}`),
);

function detailOf(values: ValuesOf<typeof DETAILED>) {
  const more = values.slice(LISTED.length) as unknown as ValuesOf<typeof MORE>;
  const [facts, sample, ratedBy, tags, refusal, refusedSince] = more;
  const row = rowOf(values);
  return {
    ...row,
    facts,
    tags,
    refusal,
    refusedSince,
    ratedBy,
    sample: sample && storedSampleOf(sample, row.sampledAt ?? 0),
  };
}
type DetailedRow = ReturnType<typeof detailOf>;

/** The servers of an account, by id, each with its score of now (contract 4, rule 1). */
export async function listServers(accountId: number): Promise<ServerList> {
  const [answer] = await query(SERVERS, { accountId });
  const now = answer?.now ?? 0;
  const serialize = (values: ValuesOf<typeof LISTED>) => {
    const row = rowOf(values);
    return serializeListItem(row, presentScore(row, now).score, now);
  };
  return { servers: await mapInTurns(parseRows(answer?.rows), serialize) };
}

/** A server. @throws NotFoundError when there is no such server of this account (contract 4, rule 8). */
export async function getServer(accountId: number, idText: string): Promise<ServerDetail> {
  const { row, now } = await getRow(accountId, idText);
  return serializeDetail(row, healthOf(row, now), now);
}

async function getRow(accountId: number, idText: string): Promise<{ row: DetailedRow; now: number }> {
  const [answer] = await query(SERVER, { id: parseId(idText), accountId });
  const [values] = parseRows(answer?.rows);
  if (!answer || !values) throw new NotFoundError();
  return { row: detailOf(values), now: answer.now };
}

/** What the page of a server shows beside what the API answers. */
export type ServerReport = Awaited<ReturnType<typeof getServerReport>>;

/** Of the latest sample; null where nothing was measured. */
export type CurrentValues = Sample & { cores: number | null };

/** As `getServer`. @throws NotFoundError when there is no such server of this account. */
export async function getServerReport(accountId: number, idText: string) {
  const { row, now } = await getRow(accountId, idText);
  const health = healthOf(row, now);
  const day = (await listDays(accountId, now, row.id))(row.id);
  const current: CurrentValues = { ...(row.sample ?? eachMeasurement(() => null)), cores: row.ratedBy?.cores ?? null };
  return {
    server: serializeDetail(row, health, now),
    /** The moment of all of this (epoch ms). */
    now,
    need: needAt(row, health, now, day),
    /** False: the daemon never checked in, so the score says nothing yet. */
    hasCheckedIn: row.lastSeenAt !== null,
    /** Why what is sent for it is not used, and since when (epoch ms); null after a check-in. */
    refusal: row.refusal === null ? null : { reason: row.refusal, since: row.refusedSince ?? now },
    /** The score when it was last heard. */
    lastScore: presentScore(row, row.lastSeenAt ?? now).score,
    ...{ day, health, current },
  };
}

/** The servers of an account, by id, each as `getServer` answers it, all of one moment and in one statement. */
export async function listServerDetails(accountId: number): Promise<ServerDetail[]> {
  const { rows, now } = await readDetails(accountId);
  return mapInTurns(rows, (row) => serializeDetail(row, healthOf(row, now), now));
}

async function readDetails(accountId: number): Promise<{ rows: DetailedRow[]; now: number }> {
  const [answer] = await query(DETAILS, { accountId });
  return { rows: await mapInTurns(parseRows(answer?.rows), detailOf), now: answer?.now ?? 0 };
}

/** What is shown is what is stored; the notes rate the sample again, by what it was rated by. */
function healthOf({ sample, sampledAt, ratedBy, rated, lastSeenAt }: DetailedRow, now: number): Health {
  const cores = ratedBy?.cores ?? null;
  const explained = rateHealth({ lastSeenAt, cores, sample, stability: ratedBy }, now);
  return { ...explained, ...presentScore({ rated, sampledAt, lastSeenAt }, now) };
}

/** A server as the page of a fleet shows it. */
export type FleetServer = Awaited<ReturnType<typeof listFleet>>[number];

/** The servers of an account, by id, as the page of the fleet shows them. */
export async function listFleet(accountId: number) {
  const { rows, now } = await readDetails(accountId);
  const days = await listDays(accountId, now);
  return mapInTurns(rows, (row) => {
    const [health, day] = [healthOf(row, now), days(row.id)];
    const need = needAt(row, health, now, day);
    const values = row.sample && rolledUpValues(row.sample);
    const unstable = need === "attention" ? stabilityCause(health, day) : null;
    const lastOomAt = unstable ? (row.ratedBy?.lastOomAt ?? null) : null;
    return {
      ...serializeListItem(row, health.score, now),
      ...{ tags: row.tags, createdAt: row.createdAt, hasCheckedIn: row.lastSeenAt !== null, need, day },
      /** Percent, of the latest sample; null where nothing was measured. */
      cpuPct: values?.cpuPct ?? null,
      memUsedPct: values?.memUsedPct ?? null,
      diskUsedPct: values?.diskUsedPct ?? null,
      /** Why the score is not higher, in a few words. */
      cause: unstable ?? mainCause(health),
      /** Whether that is its stability, which looks back on a day. */
      isUnstable: unstable !== null || worstComponent(health) === "stability",
      /** When the last outage or restart of that day was over, or, without these, a process was killed last (epoch ms). */
      lastBreakAt: day.lastBreakAt ?? lastOomAt,
    };
  });
}

/** A server for fleet monitoring: the detail without facts and notes, its tags, and what it needs. */
export type ServerReading = Awaited<ReturnType<typeof listServerReadings>>[number];

/** The servers of an account, by id, each with its components and latest sample. */
export async function listServerReadings(accountId: number) {
  const { rows, now } = await readDetails(accountId);
  const days = await listDays(accountId, now);
  return mapInTurns(rows, (row) => {
    const score = presentScore(row, now);
    return {
      ...serializeListItem(row, score.score, now),
      need: needAt(row, score, now, days(row.id)),
      tags: row.tags,
      score_components: score.components,
      latest_sample: serializeSample(row),
    };
  });
}

/** The tags of a server of the account, which has been found. */
export async function getTags(accountId: number, id: number): Promise<readonly string[]> {
  const server = await db.server.findFirst({ where: { id, accountId }, select: { tags: true } });
  return server?.tags ?? [];
}

/** A server that never checked in was last seen when it was created (contract 2.2). */
function serializeListItem(row: ServerRow, score: number, now: number): ServerListItem {
  return {
    id: row.id,
    label: row.label,
    hostname: row.hostname,
    online: isOnline(row, now),
    score,
    last_seen: row.lastSeenAt ?? row.createdAt,
    public_ip: row.publicIp,
  };
}

function serializeDetail(row: DetailedRow, health: Health, now: number): ServerDetail {
  return {
    ...serializeListItem(row, health.score, now),
    created_at: row.createdAt,
    // Checked when it was reported: always an object.
    facts: row.facts,
    score_components: health.components,
    score_notes: health.notes,
    latest_sample: serializeSample(row),
  };
}

/** Omits measurements that the daemon did not make, because the contract allows no null (contract 2.3). */
function serializeSample({ sampledAt, sample: measured }: DetailedRow): ServerDetail["latest_sample"] {
  if (sampledAt === null || !measured) return null;
  const sample: NonNullable<ServerDetail["latest_sample"]> = { ts: sampledAt };
  for (const { measurement, name } of publishedRows) {
    const value = measured[measurement];
    if (value !== null) sample[name] = value;
  }
  return sample;
}

function isOnline({ lastSeenAt }: ServerRow, now: number): boolean {
  return lastSeenAt !== null && now - lastSeenAt <= ONLINE_WINDOW;
}

function needAt(row: ServerRow, { score, components }: Score, now: number, day: DayOfServer): Need {
  return needOf({ hasCheckedIn: row.lastSeenAt !== null, online: isOnline(row, now), score, components, day });
}
