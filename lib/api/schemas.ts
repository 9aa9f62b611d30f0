import { z } from "zod";

// The bodies of spec section 2, field by field. Types, tests and documents come from here; `strictObject` refuses a
// field that the contract does not name. Resources import their types from here, and nothing else from lib/api.

const id = z.int().positive();
/** Epoch milliseconds. */
const timestamp = z.int().nonnegative();
const counter = z.int().nonnegative();
const healthPoints = z.int().min(0).max(1000);
const benchmarkPoints = z.int().min(0).max(100).nullable();

/** Spec 2.1. */
export const account = z.strictObject({
  id,
  name: z.string(),
  email: z.string(),
  role: z.enum(["customer", "support", "admin"]),
});

/** Spec 2.2. */
export const serverListItem = z.strictObject({
  id,
  label: z.string(),
  hostname: z.string(),
  online: z.boolean(),
  score: healthPoints,
  last_seen: timestamp,
  public_ip: z.string().nullable(),
});

/** Spec 2.3. */
export const serverDetail = z.strictObject({
  ...serverListItem.shape,
  created_at: timestamp,
  /** What the daemon reported, as it is: os, kernel, cores, and whatever else it knows. */
  facts: z.record(z.string(), z.unknown()),
  score_components: z.strictObject({
    cpu: healthPoints,
    memory: healthPoints,
    disk: healthPoints,
    network: healthPoints,
    stability: healthPoints,
    freshness: healthPoints,
  }),
  score_notes: z.array(z.string()),
  latest_sample: z
    .strictObject({ ts: timestamp, cpu_pct: z.number().optional(), mem_used_mb: z.number().optional() })
    .nullable(),
});

/** Spec 2.4. */
export const benchmarkRun = z.strictObject({
  id,
  label: z.string(),
  status: z.literal("done"),
  scores: z.strictObject({
    cpu: benchmarkPoints,
    disk: benchmarkPoints,
    network: benchmarkPoints,
    stability: benchmarkPoints,
    total: benchmarkPoints,
  }),
  verified: z.boolean(),
  finished_at: timestamp,
});

/** Spec 2.5. */
export const gameService = z.strictObject({
  id,
  name: z.string(),
  status: z.enum(["pending_config", "configuring", "active", "failed", "disabled", "deleting"]),
  java_hostname: z.string(),
  origin_host: z.string(),
  origin_port: z.int().min(1).max(65_535),
  config_version: z.int().nonnegative(),
  error: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

/** Spec 2.6. */
export const metricSample = z.strictObject({
  ts: timestamp,
  node_id: z.int().nonnegative(),
  packets: counter,
  bytes: counter,
  dropped: counter,
  connections: counter,
  latency_ms: z.number().nullable(),
});

/** How far back a series reaches (spec 4, rule 6). */
export const metricRange = z.enum(["1h", "24h", "7d"]);

export const metricSeries = z.strictObject({ range: metricRange, series: z.array(metricSample) });

export const serverList = z.strictObject({ servers: z.array(serverListItem) });
export const benchmarkRuns = z.strictObject({ benchmarks: z.array(benchmarkRun) });
export const gameServiceList = z.strictObject({ services: z.array(gameService) });

export type ServerListItem = z.infer<typeof serverListItem>;
export type ServerDetail = z.infer<typeof serverDetail>;
export type ServerList = z.infer<typeof serverList>;
export type BenchmarkRun = z.infer<typeof benchmarkRun>;
export type BenchmarkRuns = z.infer<typeof benchmarkRuns>;
export type GameService = z.infer<typeof gameService>;
export type GameServiceList = z.infer<typeof gameServiceList>;
export type MetricRange = z.infer<typeof metricRange>;
export type MetricSeries = z.infer<typeof metricSeries>;
