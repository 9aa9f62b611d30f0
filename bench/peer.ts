// The baseline for the API: the same work on the same database, written by hand with only `node:http` and `pg`. It checks
// only the input that the benchmark sends.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { API_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { SERIES_SQL } from "./series-sql";

const POOL = 10;
const LIMIT = 120;
const MINUTE = 60_000;
const RANGES: Readonly<Record<string, number>> = { "1h": 60 * MINUTE, "24h": 1440 * MINUTE, "7d": 10_080 * MINUTE };

const pool = new pg.Pool({ connectionString: process.argv[2], max: POOL });

// An idle connection may end.
pool.on("error", () => {});

const AUTHENTICATE = `
  select t.id as token_id, t.expires_at, t.revoked_at, t.last_used_at, a.id, a.name, a.email, a.role, a.disabled_at
  from access_tokens t join accounts a on a.id = t.account_id where t.token_hash = $1`;

// The same columns as the app reads, as the same kind of JSON text: rows read one by one cost Node twice as much.
const epoch = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`;
const SERVERS = `
  select string_agg(concat('[', s.id, ',', to_json(s.label), ',', to_json(s.hostname), ',',
    coalesce(to_json(s.public_ip)::text, 'null'), ',', ${epoch("s.created_at")}, ',', ${epoch("s.last_seen_at")}, ',',
    s.stability - 'seen', ',', coalesce((s.facts -> 'cores')::text, 'null'), ',',
    coalesce(${epoch("s.latest_sample_at")}::text, 'null'), ',', coalesce(s.latest_sample::text, 'null'), ']'),
    ',' order by s.id) as rows
  from servers s where s.account_id = $1`;

type Sample = Record<"cpu_pct" | "mem_used_mb" | "mem_total_mb" | "disk_used_pct" | "net_loss_pct", number>;
type ServerRow = [
  id: number,
  label: string,
  hostname: string,
  publicIp: string | null,
  createdAt: number,
  lastSeenAt: number,
  stability: { minutes?: string },
  cores: number | null,
  sampledAt: number | null,
  sample: Sample,
];

type Points = readonly (readonly [number, number])[];
const CURVES = {
  cpu: [
    [60, 1000],
    [75, 850],
    [85, 600],
    [95, 250],
    [100, 0],
  ],
  memory: [
    [70, 1000],
    [80, 850],
    [90, 500],
    [95, 250],
    [98, 50],
    [100, 0],
  ],
  disk: [
    [70, 1000],
    [80, 800],
    [90, 400],
    [95, 150],
    [98, 0],
  ],
  network: [
    [0.1, 1000],
    [0.5, 850],
    [1, 700],
    [2, 500],
    [5, 200],
    [10, 0],
  ],
  stability: [
    [80, 0],
    [90, 250],
    [95, 500],
    [99, 850],
    [99.5, 950],
    [100, 1000],
  ],
  freshness: [
    [30, 1000],
    [60, 900],
    [120, 600],
    [300, 200],
    [900, 0],
  ],
} as const;

function valueAt(points: Points, x: number): number {
  let [x0, y0] = points[0] ?? [0, 0];
  if (x <= x0) return y0;
  for (const [x1, y1] of points) {
    if (x <= x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
    [x0, y0] = [x1, y1];
  }
  return y0;
}

function toItem(row: ServerRow, now: number) {
  const [id, label, hostname, publicIp, , lastSeenAt, stability, , , sample] = row;
  const age = now - lastSeenAt;
  const minutes = stability.minutes ?? "";
  let seen = 0;
  for (let at = 0; at < minutes.length; at += 2) seen += Number(minutes.slice(at, at + 2));
  const score =
    20 * valueAt(CURVES.cpu, sample.cpu_pct) +
    20 * valueAt(CURVES.memory, (sample.mem_used_mb / sample.mem_total_mb) * 100) +
    20 * valueAt(CURVES.disk, sample.disk_used_pct) +
    15 * valueAt(CURVES.network, sample.net_loss_pct) +
    15 * valueAt(CURVES.stability, (seen / 1500) * 100) +
    10 * valueAt(CURVES.freshness, age / 1000);
  return {
    id,
    label,
    hostname,
    online: age <= 2 * MINUTE,
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
    const rows: ServerRow[] = JSON.parse(`[${found[0].rows ?? ""}]`);
    return send(200, JSON.stringify({ data: { servers: rows.map((row) => toItem(row, now)) } }));
  }
  const [, serviceId, range = ""] = /^\/api\/v1\/game-services\/(\d+)\/metrics\?range=(\w+)$/.exec(url) ?? [];
  const length = RANGES[range];
  if (!serviceId || !length) return send(404, '{"error":"not_found"}');
  const values = [serviceId, new Date(now - length), new Date(now), caller.id];
  const { rows } = await pool.query({ name: "series", text: SERIES_SQL, values });
  if (!rows[0]) return send(404, '{"error":"not_found"}');
  const series = rows.map(({ intervals }) => intervals ?? "").join("");
  send(200, `{"data":{"range":"${range}","series":[${series.slice(1)}]}}`);
}

const server = createServer((request, response) => {
  answer(request.headers.authorization ?? "", request.url ?? "", response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
