// The baseline for the API: the same work on the same database, written by hand with only `node:http` and `pg`. It leaves
// out what README.md lists, and checks only the input that the benchmark sends.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { API_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { COMPONENT_CURVES, DEDUCTION_CURVES, STABILITY_DEDUCTIONS, STALENESS } from "@/lib/servers/health-score";

const POOL = 10;
const LIMIT = 120;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const pool = new pg.Pool({ connectionString: process.argv[2], max: POOL });

// An idle connection may end.
pool.on("error", () => {});

const AUTHENTICATE = `
  select t.id as token_id, t.expires_at, t.revoked_at, t.last_used_at, a.id, a.name, a.email, a.role, a.disabled_at
  from access_tokens t join accounts a on a.id = t.account_id where t.token_hash = $1`;

// The same columns as the app reads, as the same kind of JSON text: rows read one by one cost Node twice as much.
const epoch = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`;
const SERVERS = `
  select string_agg(concat_ws(',', s.id, to_json(s.label), to_json(s.hostname),
    coalesce(to_json(s.public_ip)::text, 'null'), ${epoch("s.created_at")}, ${epoch("s.last_seen_at")},
    s.stability - 'seen', coalesce((s.facts -> 'cores')::text, 'null'),
    coalesce(${epoch("s.latest_sample_at")}::text, 'null'), coalesce(s.latest_sample::text, 'null')),
    '],[' order by s.id) as rows
  from servers s where s.account_id = $1`;

const USED = `
  update access_tokens set last_used_at = $2, last_used_ip = '127.0.0.1', first_used_at = coalesce(first_used_at, $2)
  where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - interval '1 min')`;

type Sample = Partial<
  Record<
    | "cpu_pct"
    | "cpu_steal_pct"
    | "cpu_iowait_pct"
    | "load5"
    | "mem_used_mb"
    | "mem_total_mb"
    | "swap_used_pct"
    | "disk_used_pct"
    | "net_loss_pct"
    | "net_retransmit_pct"
    | "oom_kills",
    number | null
  >
>;
type Stability = {
  until?: number;
  minutes?: string;
  events: { hour: number; reboots: number; oom_kills: number }[];
  last_oom_at: number | null;
  failed_units: number;
};
type ServerRow = [
  id: number,
  label: string,
  hostname: string,
  publicIp: string | null,
  createdAt: number,
  lastSeenAt: number,
  stability: Stability,
  cores: unknown,
  sampledAt: number | null,
  sample: Sample | null,
];

type Curve = readonly (readonly [number, number])[];
const UNKNOWN = 500;

function valueAt(points: Curve, x: number): number {
  let [x0, y0] = points[0] ?? [0, 0];
  if (x <= x0) return y0;
  for (let index = 1; index < points.length; index++) {
    const [x1, y1] = points[index] ?? [0, 0];
    if (x <= x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
    x0 = x1;
    y0 = y1;
  }
  return y0;
}

const off = (points: Curve, x: number | null | undefined) => (x == null ? 0 : valueAt(points, x));
const whole = (points: number) => Math.round(Math.min(1000, Math.max(0, points)));

function cpuPoints({ cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5 }: Sample, cores: unknown): number | null {
  if (cpu_pct == null) return null;
  const load = typeof cores === "number" && cores > 0 && load5 != null ? load5 / cores : null;
  const most = Math.max(
    off(DEDUCTION_CURVES.stealPct, cpu_steal_pct),
    off(DEDUCTION_CURVES.iowaitPct, cpu_iowait_pct),
    off(DEDUCTION_CURVES.loadPerCore, load),
  );
  return valueAt(COMPONENT_CURVES.cpuPct, cpu_pct) - most;
}

function memoryPoints(sample: Sample, lastOomAt: number | null, now: number): number | null {
  const { mem_used_mb: used, mem_total_mb: total, swap_used_pct, oom_kills } = sample;
  if (used == null || !total) return null;
  const points =
    valueAt(COMPONENT_CURVES.memoryPct, (used / total) * 100) - off(DEDUCTION_CURVES.swapPct, swap_used_pct);
  const wasKilled = (oom_kills ?? 0) > 0 || (lastOomAt !== null && now - lastOomAt < 30 * MINUTE);
  return wasKilled ? Math.min(points, 300) : points;
}

function networkPoints({ net_loss_pct: loss, net_retransmit_pct: retransmit }: Sample): number | null {
  if (loss == null && retransmit == null) return null;
  return Math.min(
    loss == null ? 1000 : valueAt(COMPONENT_CURVES.lossPct, loss),
    retransmit == null ? 1000 : valueAt(COMPONENT_CURVES.retransmitPct, retransmit),
  );
}

function stabilityPoints({ until = 0, minutes, events, failed_units }: Stability, createdAt: number, now: number) {
  if (!minutes) return UNKNOWN;
  const from = Math.floor(now / HOUR) - 23;
  const expected = Math.max(1, Math.floor(now / MINUTE) - Math.floor(Math.max(from * HOUR, createdAt) / MINUTE));
  let seen = 0;
  for (let at = Math.max(0, minutes.length - 2 * (until - from + 1)); at < minutes.length; at += 2) {
    seen += (minutes.charCodeAt(at) - 48) * 10 + minutes.charCodeAt(at + 1) - 48;
  }
  let [reboots, kills] = [0, 0];
  for (const event of events) {
    if (event.hour < from) continue;
    reboots += event.reboots;
    kills += event.oom_kills;
  }
  const { reboots: ofReboots, oomKills: ofKills, failedUnits: ofUnits } = STABILITY_DEDUCTIONS;
  return (
    valueAt(COMPONENT_CURVES.coveragePct, (Math.min(seen, expected) / expected) * 100) -
    Math.min(ofReboots.most, ofReboots.each * reboots) -
    Math.min(ofKills.most, ofKills.each * kills) -
    Math.min(ofUnits.most, ofUnits.each * failed_units)
  );
}

function toItem(row: ServerRow, now: number) {
  const [id, label, hostname, publicIp, createdAt, lastSeenAt, stability, cores, sampledAt, sample] = row;
  const hasReported = sampledAt !== null || lastSeenAt !== createdAt;
  const age = now - lastSeenAt;
  const factor = sampledAt === null ? 0 : valueAt(STALENESS, Math.max(0, now - sampledAt) / 1000);
  const faded = (points: number | null) =>
    points === null ? UNKNOWN : whole(Math.min(1000, Math.max(0, points)) * factor);
  const disk = sample?.disk_used_pct;
  const score =
    20 * faded(sample && cpuPoints(sample, cores)) +
    20 * faded(sample && memoryPoints(sample, stability.last_oom_at, now)) +
    20 * faded(disk == null ? null : valueAt(COMPONENT_CURVES.diskPct, disk)) +
    15 * faded(sample && networkPoints(sample)) +
    15 * whole(stabilityPoints(stability, createdAt, now)) +
    10 * whole(hasReported ? valueAt(COMPONENT_CURVES.lastSeenSeconds, Math.max(0, age) / 1000) : UNKNOWN);
  return {
    id,
    label,
    hostname,
    online: hasReported && age <= 2 * MINUTE,
    score: Math.round(score / 100),
    last_seen: lastSeenAt,
    public_ip: publicIp,
  };
}

/** The times of each token's requests in the last minute, oldest first. */
const requests = new Map<number, number[]>();

/** Counts a request: how many more there may be and in how many milliseconds the oldest is forgotten; or null. */
function take(tokenId: number): { remaining: number; waitMs: number } | null {
  const now = performance.now();
  const times = requests.get(tokenId) ?? [];
  requests.set(tokenId, times);
  while ((times[0] ?? now) <= now - MINUTE) times.shift();
  if (times.length >= LIMIT) return null;
  times.push(now);
  return { remaining: LIMIT - times.length, waitMs: MINUTE - (now - (times[0] ?? now)) };
}

/** Tokens whose use is being written. */
const beingUsed = new Set<number>();

function recordUse(tokenId: number, now: number): void {
  if (beingUsed.has(tokenId)) return;
  beingUsed.add(tokenId);
  pool
    .query({ name: "used", text: USED, values: [tokenId, new Date(now)] })
    .catch(console.error)
    .finally(() => beingUsed.delete(tokenId));
}

async function answer(authorization: string, url: string, response: ServerResponse): Promise<void> {
  const headers: Record<string, string | number> = {
    Vary: "Accept-Encoding",
    ...Object.fromEntries(API_HEADERS),
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": randomUUID(),
  };
  const send = (status: number, text: string) => {
    headers["Content-Length"] = Buffer.byteLength(text);
    response.writeHead(status, headers).end(text);
  };
  const hash = createHash("sha256").update(authorization.slice("Bearer ".length)).digest("hex");
  const authenticated = await pool.query({ name: "authenticate", text: AUTHENTICATE, values: [hash] });
  const caller = authenticated.rows[0];
  const now = Date.now();
  if (!caller || caller.revoked_at || caller.disabled_at || (caller.expires_at && caller.expires_at <= now)) {
    return send(401, '{"error":"invalid_token"}');
  }
  if (!caller.last_used_at || now - caller.last_used_at >= MINUTE) recordUse(caller.token_id, now);
  const quota = take(caller.token_id);
  if (!quota) return send(429, '{"error":"rate_limited"}');
  const seconds = Math.ceil(quota.waitMs / 1000);
  headers["RateLimit-Policy"] = `"default";q=${LIMIT};w=60`;
  headers.RateLimit = `"default";r=${quota.remaining};t=${seconds}`;
  headers["X-RateLimit-Limit"] = LIMIT;
  headers["X-RateLimit-Remaining"] = quota.remaining;
  headers["X-RateLimit-Reset"] = Math.ceil(now / 1000) + seconds;
  if (url === "/api/v1/me") {
    const { id, name, email, role } = caller;
    return send(200, JSON.stringify({ data: { id, name, email, role } }));
  }
  if (url === "/api/v1/servers") {
    const { rows: found } = await pool.query({ name: "servers", text: SERVERS, values: [caller.id] });
    const rows: ServerRow[] = found[0].rows ? JSON.parse(`[[${found[0].rows}]]`) : [];
    return send(200, JSON.stringify({ data: { servers: rows.map((row) => toItem(row, now)) } }));
  }
  send(404, '{"error":"not_found"}');
}

const server = createServer((request, response) => {
  answer(request.headers.authorization ?? "", request.url ?? "", response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
