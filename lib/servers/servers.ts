import type { ServerDetail, ServerList, ServerListItem } from "@/lib/api/schemas";
import { db, Prisma } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import { parseId } from "@/lib/http/ids";
import { type Health, type Measurements, rateHealth } from "@/lib/servers/health-score";
import { parseStabilityRecord, summariseStability } from "@/lib/servers/stability";
import { MINUTE } from "@/lib/time";

/** A daemon that checked in within this time is online (spec 8). */
const ONLINE_WINDOW = 2 * MINUTE;

type ServerRow = {
  id: number;
  label: string;
  hostname: string;
  public_ip: string | null;
  facts: Record<string, unknown>;
  created_at: Date;
  last_seen_at: Date;
  stability: unknown;
  ts: Date | null;
  cpu_pct: number | null;
  cpu_steal_pct: number | null;
  cpu_iowait_pct: number | null;
  load5: number | null;
  mem_used_mb: number | null;
  mem_total_mb: number | null;
  swap_used_pct: number | null;
  disk_used_pct: number | null;
  net_loss_pct: number | null;
  net_retransmit_pct: number | null;
  oom_kills: number | null;
};

/** Each server with its latest sample, in one statement whose cost does not grow with the number of samples. */
const SERVER_ROWS = Prisma.sql`
  select s.id, s.label, s.hostname, s.public_ip, s.facts, s.created_at, s.last_seen_at, s.stability,
    t.ts, t.cpu_pct, t.cpu_steal_pct, t.cpu_iowait_pct, t.load5, t.mem_used_mb, t.mem_total_mb, t.swap_used_pct,
    t.disk_used_pct, t.net_loss_pct, t.net_retransmit_pct, t.oom_kills
  from servers s left join lateral (
    select * from telemetry_samples where server_id = s.id order by ts desc limit 1
  ) t on true`;

/** The servers of an account, by id, each with its score of now (spec 4, rule 1). */
export async function listServers(accountId: number): Promise<ServerList> {
  const rows = await db.$queryRaw<ServerRow[]>`${SERVER_ROWS} where s.account_id = ${accountId} order by s.id`;
  const now = Date.now();
  return { servers: rows.map((row) => serializeListItem(row, rateRow(row, now).score, now)) };
}

/** @throws NotFoundError when there is no such server of this account (spec 4, rule 8). */
export async function getServer(accountId: number, idText: string): Promise<ServerDetail> {
  const id = parseId(idText);
  const [row] = await db.$queryRaw<ServerRow[]>`${SERVER_ROWS} where s.id = ${id} and s.account_id = ${accountId}`;
  if (!row) throw new NotFoundError();
  const now = Date.now();
  return serializeDetail(row, rateRow(row, now), now);
}

/** What the monitoring of a whole fleet wants to know of a server: as the detail, without facts and notes. */
export type ServerReading = ServerListItem & Pick<ServerDetail, "score_components" | "latest_sample">;

/** The servers of an account, by id, each with its components and latest sample, in one statement. */
export async function listServerReadings(accountId: number): Promise<ServerReading[]> {
  const rows = await db.$queryRaw<ServerRow[]>`${SERVER_ROWS} where s.account_id = ${accountId} order by s.id`;
  const now = Date.now();
  return rows.map((row) => {
    const { score, components } = rateRow(row, now);
    return { ...serializeListItem(row, score, now), score_components: components, latest_sample: serializeSample(row) };
  });
}

function serializeListItem(row: ServerRow, score: number, now: number): ServerListItem {
  return {
    id: row.id,
    label: row.label,
    hostname: row.hostname,
    online: isOnline(row, now),
    score,
    last_seen: row.last_seen_at.getTime(),
    public_ip: row.public_ip,
  };
}

function serializeDetail(row: ServerRow, health: Health, now: number): ServerDetail {
  return {
    ...serializeListItem(row, health.score, now),
    created_at: row.created_at.getTime(),
    facts: row.facts,
    score_components: health.components,
    score_notes: health.notes,
    latest_sample: serializeSample(row),
  };
}

/** A measurement that the daemon did not make is left out: the contract has no null for it (spec 2.3). */
function serializeSample({ ts, cpu_pct, mem_used_mb }: ServerRow): ServerDetail["latest_sample"] {
  if (!ts) return null;
  return {
    ts: ts.getTime(),
    ...(cpu_pct !== null && { cpu_pct }),
    ...(mem_used_mb !== null && { mem_used_mb }),
  };
}

/** Both times start out equal, and the first check-in moves one of them. */
function hasCheckedIn(row: ServerRow): boolean {
  return row.ts !== null || row.last_seen_at.getTime() !== row.created_at.getTime();
}

function isOnline(row: ServerRow, now: number): boolean {
  return hasCheckedIn(row) && now - row.last_seen_at.getTime() <= ONLINE_WINDOW;
}

function rateRow(row: ServerRow, now: number): Health {
  const { cores } = row.facts;
  const createdAt = row.created_at.getTime();
  return rateHealth(
    {
      lastSeenAt: hasCheckedIn(row) ? row.last_seen_at.getTime() : null,
      cores: typeof cores === "number" && cores > 0 ? cores : null,
      sample: measurementsOf(row),
      stability: summariseStability(parseStabilityRecord(row.stability), createdAt, now),
    },
    now,
  );
}

function measurementsOf(row: ServerRow): Measurements | null {
  if (!row.ts) return null;
  return {
    ts: row.ts.getTime(),
    cpuPct: row.cpu_pct,
    cpuStealPct: row.cpu_steal_pct,
    cpuIowaitPct: row.cpu_iowait_pct,
    load5: row.load5,
    memUsedMb: row.mem_used_mb,
    memTotalMb: row.mem_total_mb,
    swapUsedPct: row.swap_used_pct,
    diskUsedPct: row.disk_used_pct,
    netLossPct: row.net_loss_pct,
    netRetransmitPct: row.net_retransmit_pct,
    oomKills: row.oom_kills,
  };
}
