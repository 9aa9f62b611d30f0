/** A small fault planted in the code that writes an answer. */
export type Mutation = { title: string; file: string; find: string; replace: string };

const ACCOUNTS = "lib/accounts/accounts.ts";
const SERVERS = "lib/servers/servers.ts";
const BENCHMARKS = "lib/servers/benchmarks.ts";
const SERVICES = "lib/game-services/game-services.ts";
const METRICS = "lib/game-services/metrics.ts";
const ENDPOINT = "lib/api/endpoint.ts";

/**
 * Faults that a typing mistake in a serialiser makes: a field renamed, dropped or retyped, null where it is not allowed,
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
  { title: "server: last_seen in seconds", file: SERVERS, find: "    last_seen: row.lastSeenAt,", replace: "    last_seen: Math.round(row.lastSeenAt / 1000)," },
  { title: "server: last_seen as a date", file: SERVERS, find: "    last_seen: row.lastSeenAt,", replace: "    last_seen: new Date(row.lastSeenAt)," },
  { title: "server: last_seen is null where there was no check-in", file: SERVERS, find: "    last_seen: row.lastSeenAt,", replace: "    last_seen: hasCheckedIn(row) ? row.lastSeenAt : null," },
  { title: "server: public_ip is empty text instead of null", file: SERVERS, find: "    public_ip: row.publicIp,", replace: "    public_ip: row.publicIp ?? \"\"," },
  { title: "server: public_ip is absent instead of null", file: SERVERS, find: "    public_ip: row.publicIp,", replace: "    public_ip: row.publicIp ?? undefined," },
  { title: "server: a column too many", file: SERVERS, find: "    public_ip: row.publicIp,", replace: "    public_ip: row.publicIp, stability: row.stability," },
  { title: "server detail: created_at in seconds", file: SERVERS, find: "    created_at: row.createdAt,", replace: "    created_at: Math.round(row.createdAt / 1000)," },
  { title: "server detail: created_at is renamed", file: SERVERS, find: "    created_at: row.createdAt,", replace: "    createdAt: row.createdAt," },
  { title: "server detail: facts are text", file: SERVERS, find: "    facts: values[LISTED.length],", replace: "    facts: JSON.stringify(values[LISTED.length])," },
  { title: "server detail: facts are null", file: SERVERS, find: "    facts: values[LISTED.length],", replace: "    facts: null," },
  { title: "server detail: one component is missing", file: SERVERS, find: "    score_components: health.components,", replace: "    score_components: { ...health.components, freshness: undefined }," },
  { title: "server detail: components are fractions", file: SERVERS, find: "    score_components: health.components,", replace: "    score_components: { ...health.components, cpu: health.components.cpu / 1000 }," },
  { title: "server detail: notes are one text", file: SERVERS, find: "    score_notes: health.notes,", replace: '    score_notes: health.notes.join(" "),' },
  { title: "server detail: notes are null", file: SERVERS, find: "    score_notes: health.notes,", replace: "    score_notes: null," },
  { title: "server detail: latest_sample is dropped", file: SERVERS, find: "    score_notes: health.notes,\n    latest_sample: serializeSample(row),", replace: "    score_notes: health.notes," },
  { title: "server detail: scored_at is dropped", file: SERVERS, find: "    scored_at: now,", replace: "" },
  { title: "server detail: scored_at as a date", file: SERVERS, find: "    scored_at: now,", replace: "    scored_at: new Date(now)," },
  { title: "server detail: stability is as it is stored", file: SERVERS, find: "    stability: serializeStability(facts.stability),", replace: "    stability: row.stability," },
  { title: "latest_sample: an empty object instead of null", file: SERVERS, find: "  if (latestSampleAt === null) return null;\n  const sample", replace: "  if (latestSampleAt === null) return {};\n  const sample" },
  { title: "latest_sample: ts in seconds", file: SERVERS, find: "= { ts: latestSampleAt };", replace: "= { ts: Math.round(latestSampleAt / 1000) };" },
  { title: "latest_sample: cpu_pct is null instead of absent", file: SERVERS, find: "    if (value !== null && value !== undefined) sample[name] = value;", replace: "    sample[name] = value ?? null;" },
  { title: "latest_sample: cpu_pct is 0 instead of absent", file: SERVERS, find: "    if (value !== null && value !== undefined) sample[name] = value;", replace: "    sample[name] = value ?? 0;" },
  { title: "latest_sample: mem_used_mb is in bytes", file: SERVERS, find: "    if (value !== null && value !== undefined) sample[name] = value;", replace: "    if (value !== null && value !== undefined) sample[name] = name === \"mem_used_mb\" ? value * 1_000_000 : value;" },
  { title: "latest_sample: mem_used_mb is renamed", file: SERVERS, find: "    if (value !== null && value !== undefined) sample[name] = value;", replace: "    if (value !== null && value !== undefined) sample[name === \"mem_used_mb\" ? \"memory_mb\" : name] = value;" },

  { title: "benchmark: label is dropped", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, status, scores, verified, finished_at: finishedAt.getTime() }]" },
  { title: "benchmark: another word for done", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status: \"finished\", scores, verified, finished_at: finishedAt.getTime() }]" },
  { title: "benchmark: scores without total", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status, scores: { ...scores, total: undefined }, verified, finished_at: finishedAt.getTime() }]" },
  { title: "benchmark: 0 instead of null", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status, scores: { ...scores, cpu: scores.cpu ?? 0 }, verified, finished_at: finishedAt.getTime() }]" },
  { title: "benchmark: two scores change places", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status, scores: { ...scores, cpu: scores.disk, disk: scores.cpu }, verified, finished_at: finishedAt.getTime() }]" },
  { title: "benchmark: verified is text", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status, scores, verified: String(verified), finished_at: finishedAt.getTime() }]" },
  { title: "benchmark: finished_at in seconds", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status, scores, verified, finished_at: Math.round(finishedAt.getTime() / 1000) }]" },
  { title: "benchmark: finished_at is null", file: BENCHMARKS, find: "[{ id, label, status, scores, verified, finished_at: finishedAt.getTime() }]", replace: "[{ id, label, status, scores, verified, finished_at: null }]" },

  { title: "service: java_hostname is renamed", file: SERVICES, find: "  java_hostname: s.javaHostname,", replace: "  hostname: s.javaHostname," },
  { title: "service: origin_port is text", file: SERVICES, find: "return { services: await query(LISTED_TO, { accountId }) };", replace: "return { services: (await query(LISTED_TO, { accountId })).map((service) => ({ ...service, origin_port: String(service.origin_port) })) };" },
  { title: "service: config_version is dropped", file: SERVICES, find: "  config_version: s.configVersion,", replace: "" },
  { title: "service: error is empty text instead of null", file: SERVICES, find: "return { services: await query(LISTED_TO, { accountId }) };", replace: "return { services: (await query(LISTED_TO, { accountId })).map((service) => ({ ...service, error: service.error ?? \"\" })) };" },
  { title: "service: created_at in seconds", file: SERVICES, find: "return { services: await query(LISTED_TO, { accountId }) };", replace: "return { services: (await query(LISTED_TO, { accountId })).map((service) => ({ ...service, created_at: Math.round(service.created_at / 1000) })) };" },
  { title: "service: updated_at is created_at", file: SERVICES, find: "  updated_at: s.updatedAt,", replace: "  updated_at: s.createdAt," },
  { title: "service: status in capitals", file: SERVICES, find: "return { services: await query(LISTED_TO, { accountId }) };", replace: "return { services: (await query(LISTED_TO, { accountId })).map((service) => ({ ...service, status: service.status.toUpperCase() })) };" },

  { title: "metrics: ts in seconds", file: METRICS, find: "INTERVAL = {\n  ts: m.ts,\n", replace: "INTERVAL = {\n  ts: Object.assign(Object.create(m.ts), { sql: \"extract(epoch from m.ts)::bigint\", kind: \"json\" }),\n" },
  { title: "metrics: node_id is renamed", file: METRICS, find: "  node_id: m.nodeId,", replace: "  node: m.nodeId," },
  { title: "metrics: bytes are text", file: METRICS, find: "node_id: m.nodeId,\n  packets: m.packets,\n  bytes: m.bytes,", replace: "node_id: m.nodeId,\n  packets: m.packets,\n  bytes: Object.assign(Object.create(m.bytes), { sql: \"to_json(m.bytes::text)\" })," },
  { title: "metrics: 0 instead of null", file: METRICS, find: "latency_ms: orNull(m.latencyMs)", replace: "latency_ms: Object.assign(Object.create(m.latencyMs), { sql: \"coalesce(m.latency_ms, 0)\" })" },
  { title: "metrics: range is renamed", file: METRICS, find: '{"range":"', replace: '{"window":"' },

  { title: "every endpoint: data under another name", file: ENDPOINT, find: '`{"data":$', replace: '`{"result":$' },
];
