// The baseline for the API: the same work on the same database with only `node:http`, `pg` and the product's score. It
// leaves out what README.md lists, and checks only the input that the benchmark sends.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { API_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { MINUTE } from "@/lib/format/time";
import { presentScore } from "@/lib/servers/health-score";

const POOL = 10;
const LIMIT = 120;

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
    coalesce(to_json(s.public_ip)::text, 'null'), ${epoch("s.created_at")}, coalesce(${epoch("s.last_seen_at")}::text, 'null'),
    coalesce(${epoch("s.sampled_at")}::text, 'null'),
    ${["cpu", "memory", "disk", "network", "stability"].map((name) => `coalesce(s.${name}::text, 'null')`).join(", ")}),
    '],[' order by s.id) as rows
  from servers s where s.account_id = $1`;

const USED = `
  update access_tokens set last_used_at = $2, last_used_ip = '127.0.0.1', first_used_at = coalesce(first_used_at, $2)
  where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - interval '1 min')`;

type ServerRow = [
  id: number,
  label: string,
  hostname: string,
  publicIp: string | null,
  createdAt: number,
  lastSeenAt: number | null,
  sampledAt: number | null,
  ...points: [cpu: Points, memory: Points, disk: Points, network: Points, stability: Points],
];
type Points = number | null;

function toItem(row: ServerRow, now: number) {
  const [id, label, hostname, publicIp, createdAt, lastSeenAt, sampledAt, cpu, memory, disk, network, stability] = row;
  const { score } = presentScore({ rated: { cpu, memory, disk, network, stability }, sampledAt, lastSeenAt }, now);
  const online = lastSeenAt !== null && now - lastSeenAt <= 2 * MINUTE;
  return { id, label, hostname, online, score, last_seen: lastSeenAt ?? createdAt, public_ip: publicIp };
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
