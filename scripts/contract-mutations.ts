/** One small fault in the code that writes an answer. */
export type Mutation = { title: string; file: string; find: string; replace: string };

const ACCOUNTS = "lib/accounts/accounts.ts";
const SERVERS = "lib/servers/servers.ts";
const BENCHMARKS = "lib/servers/benchmarks.ts";
const SERVICES = "lib/game-services/game-services.ts";
const METRICS = "lib/game-services/metrics.ts";
const ENDPOINT = "lib/api/endpoint.ts";

/**
 * What a slip of the hand does to a serialiser: a field renamed, dropped or retyped, null where there may be none,
 * seconds for milliseconds, a column too many. `find` must occur exactly once in its file.
 */
// biome-ignore format: a table reads by its rows
export const MUTATIONS: readonly Mutation[] = [
  { title: "/me: email is renamed", file: ACCOUNTS, find: "return { id, name, email, role };", replace: "return { id, name, mail: email, role };" },
  { title: "/me: role is dropped", file: ACCOUNTS, find: "return { id, name, email, role };", replace: "return { id, name, email };" },
  { title: "/me: id is text", file: ACCOUNTS, find: "return { id, name, email, role };", replace: "return { id: String(id), name, email, role };" },
  { title: "/me: name is null", file: ACCOUNTS, find: "return { id, name, email, role };", replace: "return { id, name: null, email, role };" },
  { title: "/me: name is the e-mail", file: ACCOUNTS, find: "return { id, name, email, role };", replace: "return { id, name: email, email, role };" },

  { title: "server: id is text", file: SERVERS, find: "    id: row.id,", replace: "    id: String(row.id)," },
  { title: "server: label is renamed", file: SERVERS, find: "    label: row.label,", replace: "    name: row.label," },
  { title: "server: hostname is dropped", file: SERVERS, find: "    hostname: row.hostname,", replace: "" },
  { title: "server: hostname is the label", file: SERVERS, find: "    hostname: row.hostname,", replace: "    hostname: row.label," },
  { title: "server: online is a number", file: SERVERS, find: "    online: isOnline(row, now),", replace: "    online: Number(isOnline(row, now))," },
  { title: "server: online is the opposite", file: SERVERS, find: "    online: isOnline(row, now),", replace: "    online: !isOnline(row, now)," },
  { title: "server: score is text", file: SERVERS, find: "    score,\n", replace: "    score: String(score),\n" },
  { title: "server: score is a percentage", file: SERVERS, find: "    score,\n", replace: "    score: Math.round(score / 10),\n" },
  { title: "server: score is dropped", file: SERVERS, find: "    score,\n", replace: "" },
  { title: "server: last_seen in seconds", file: SERVERS, find: "    last_seen: row.last_seen_at.getTime(),", replace: "    last_seen: Math.round(row.last_seen_at.getTime() / 1000)," },
  { title: "server: last_seen as a date", file: SERVERS, find: "    last_seen: row.last_seen_at.getTime(),", replace: "    last_seen: row.last_seen_at," },
  { title: "server: last_seen is null where there was no check-in", file: SERVERS, find: "    last_seen: row.last_seen_at.getTime(),", replace: "    last_seen: hasCheckedIn(row) ? row.last_seen_at.getTime() : null," },
  { title: "server: public_ip is empty text instead of null", file: SERVERS, find: "    public_ip: row.public_ip,", replace: '    public_ip: row.public_ip ?? "",' },
  { title: "server: public_ip is absent instead of null", file: SERVERS, find: "    public_ip: row.public_ip,", replace: "    public_ip: row.public_ip ?? undefined," },
  { title: "server: a column too many", file: SERVERS, find: "    public_ip: row.public_ip,", replace: "    public_ip: row.public_ip, stability: row.stability," },
  { title: "server detail: created_at in seconds", file: SERVERS, find: "    created_at: row.created_at.getTime(),", replace: "    created_at: Math.round(row.created_at.getTime() / 1000)," },
  { title: "server detail: created_at is renamed", file: SERVERS, find: "    created_at: row.created_at.getTime(),", replace: "    createdAt: row.created_at.getTime()," },
  { title: "server detail: facts are text", file: SERVERS, find: "    facts: row.facts,", replace: "    facts: JSON.stringify(row.facts)," },
  { title: "server detail: facts are null", file: SERVERS, find: "    facts: row.facts,", replace: "    facts: null," },
  { title: "server detail: one component is missing", file: SERVERS, find: "    score_components: health.components,", replace: "    score_components: { ...health.components, freshness: undefined }," },
  { title: "server detail: components are fractions", file: SERVERS, find: "    score_components: health.components,", replace: "    score_components: { ...health.components, cpu: health.components.cpu / 1000 }," },
  { title: "server detail: notes are one text", file: SERVERS, find: "    score_notes: health.notes,", replace: '    score_notes: health.notes.join(" "),' },
  { title: "server detail: notes are null", file: SERVERS, find: "    score_notes: health.notes,", replace: "    score_notes: null," },
  { title: "server detail: latest_sample is dropped", file: SERVERS, find: "    latest_sample: serializeSample(row),", replace: "" },
  { title: "latest_sample: an empty object instead of null", file: SERVERS, find: "  if (!ts) return null;", replace: "  if (!ts) return {};" },
  { title: "latest_sample: ts in seconds", file: SERVERS, find: "    ts: ts.getTime(),", replace: "    ts: Math.round(ts.getTime() / 1000)," },
  { title: "latest_sample: cpu_pct is null instead of absent", file: SERVERS, find: "    ...(cpu_pct !== null && { cpu_pct }),", replace: "    cpu_pct," },
  { title: "latest_sample: cpu_pct is 0 instead of absent", file: SERVERS, find: "    ...(cpu_pct !== null && { cpu_pct }),", replace: "    cpu_pct: cpu_pct ?? 0," },
  { title: "latest_sample: mem_used_mb is in bytes", file: SERVERS, find: "    ...(mem_used_mb !== null && { mem_used_mb }),", replace: "    ...(mem_used_mb !== null && { mem_used_mb: mem_used_mb * 1_000_000 })," },
  { title: "latest_sample: mem_used_mb is renamed", file: SERVERS, find: "    ...(mem_used_mb !== null && { mem_used_mb }),", replace: "    ...(mem_used_mb !== null && { memory_mb: mem_used_mb })," },

  { title: "benchmark: label is dropped", file: BENCHMARKS, find: "    id,\n    label,\n    status:", replace: "    id,\n    status:" },
  { title: "benchmark: another word for done", file: BENCHMARKS, find: '    status: "done",\n    scores', replace: '    status: "finished",\n    scores' },
  { title: "benchmark: scores without total", file: BENCHMARKS, find: "    scores: { cpu, disk, network, stability, total },", replace: "    scores: { cpu, disk, network, stability }," },
  { title: "benchmark: 0 instead of null", file: BENCHMARKS, find: "    scores: { cpu, disk, network, stability, total },", replace: "    scores: { cpu: cpu ?? 0, disk, network, stability, total }," },
  { title: "benchmark: two scores change places", file: BENCHMARKS, find: "    scores: { cpu, disk, network, stability, total },", replace: "    scores: { cpu: disk, disk: cpu, network, stability, total }," },
  { title: "benchmark: verified is text", file: BENCHMARKS, find: "    verified,\n    finished_at", replace: "    verified: String(verified),\n    finished_at" },
  { title: "benchmark: finished_at in seconds", file: BENCHMARKS, find: "    finished_at: finished_at.getTime(),", replace: "    finished_at: Math.round(finished_at.getTime() / 1000)," },
  { title: "benchmark: finished_at is null", file: BENCHMARKS, find: "    finished_at: finished_at.getTime(),", replace: "    finished_at: null," },

  { title: "service: java_hostname is renamed", file: SERVICES, find: "    java_hostname: row.java_hostname,", replace: "    hostname: row.java_hostname," },
  { title: "service: origin_port is text", file: SERVICES, find: "    origin_port: row.origin_port,", replace: "    origin_port: String(row.origin_port)," },
  { title: "service: config_version is dropped", file: SERVICES, find: "    config_version: row.config_version,", replace: "" },
  { title: "service: error is empty text instead of null", file: SERVICES, find: "    error: row.error,", replace: '    error: row.error ?? "",' },
  { title: "service: created_at in seconds", file: SERVICES, find: "    created_at: row.created_at.getTime(),", replace: "    created_at: Math.round(row.created_at.getTime() / 1000)," },
  { title: "service: updated_at is created_at", file: SERVICES, find: "    updated_at: row.updated_at.getTime(),", replace: "    updated_at: row.created_at.getTime()," },
  { title: "service: status in capitals", file: SERVICES, find: "    status: row.status,", replace: "    status: row.status.toUpperCase()," },

  { title: "metrics: ts in seconds", file: METRICS, find: "(extract(epoch from m.ts) * 1000)::bigint as ts", replace: "extract(epoch from m.ts)::bigint as ts" },
  { title: "metrics: node_id is renamed", file: METRICS, find: "as ts, m.node_id,", replace: "as ts, m.node_id as node," },
  { title: "metrics: bytes are text", file: METRICS, find: "m.packets, m.bytes, m.dropped, m.connections,\n", replace: "m.packets, m.bytes::text as bytes, m.dropped, m.connections,\n" },
  { title: "metrics: 0 instead of null", file: METRICS, find: "        m.latency_ms\n", replace: "        coalesce(m.latency_ms, 0) as latency_ms\n" },
  { title: "metrics: range is renamed", file: METRICS, find: '{"range":"', replace: '{"window":"' },

  { title: "every endpoint: data under another name", file: ENDPOINT, find: '`{"data":$', replace: '`{"result":$' },
];
