import { z } from "zod";
import { MEANINGS } from "@/lib/game-services/counters";
import { LATEST_SINCE, RANGE_NAMES } from "@/lib/game-services/metrics-query";
import { AccountRole, GameServiceStatus } from "@/lib/generated/prisma/enums";
import { type PublishedName, publishedRows } from "@/lib/servers/telemetry/measurements";

// The bodies of the contract (docs/contract.md, section 2), field by field. Types, tests and documents come from here,
// descriptions included. `strictObject` refuses a field that the contract does not name, and `enum` a value; the
// published document lets both pass, so that a field or a value can be added. Resources import their types from here,
// and nothing else from lib/api.

/** The length of an interval of the traffic, in seconds. */
export const INTERVAL_SECONDS = 60;
/** How often a server's daemon checks in, in seconds. */
export const CHECK_IN_SECONDS = 30;

const idOf = (what: string) => z.int().positive().describe(`Identifier of the ${what}.`);
const timestamp = (what: string) => z.int().nonnegative().describe(`${what}, in Unix epoch milliseconds.`);
const counter = (what: string) => z.int().nonnegative().describe(`${what} in this interval alone, not cumulative.`);
const healthPoints = (what: string) => z.int().min(0).max(1000).describe(`${what}, 0 to 1000, higher is healthier.`);
const benchmarkPoints = (what: string) =>
  z.int().min(0).max(100).nullable().describe(`${what}, 0 to 100; null when it could not be measured.`);

export const account = z
  .strictObject({
    id: idOf("account"),
    name: z.string().describe("Display name."),
    email: z.string().describe("E-mail address."),
    role: z.enum(AccountRole).describe("Role; support and admin are staff."),
  })
  .describe("The account that owns the token.");

export const serverListItem = z
  .strictObject({
    id: idOf("server"),
    label: z.string().describe("The name that the server goes by in the console."),
    hostname: z.string().describe("Host name."),
    online: z
      .boolean()
      .describe(
        `Whether the server's daemon, which checks in every ${CHECK_IN_SECONDS} seconds, did so within the last two minutes.`,
      ),
    score: healthPoints("Health score, computed as it is read"),
    last_seen: timestamp("The daemon's last check-in, or when the server was created if there was none"),
    public_ip: z.string().nullable().describe("Public IP; null until the daemon reports one."),
  })
  .describe("A server, as the list shows it.");

export const facts = z
  .looseObject({
    os: z.string().describe("Operating system.").optional(),
    kernel: z.string().describe("Kernel release.").optional(),
    cores: z.int().describe("Number of CPU cores.").optional(),
  })
  .describe("What the daemon reported about the machine, as it is: further keys may appear.");

export const scoreComponents = z
  .strictObject({
    cpu: healthPoints("CPU"),
    memory: healthPoints("Memory"),
    disk: healthPoints("The fullest file system"),
    network: healthPoints("Packet loss and retransmissions"),
    stability: healthPoints("Check-ins received, restarts and failures of the last 24 hours"),
    freshness: healthPoints("Time since the last check-in"),
  })
  .describe(
    "The six components of the score: score = round((20·cpu + 20·memory + 20·disk + 15·network + 15·stability + 10·freshness) / 100).",
  );

const measured = (description: string) => z.number().describe(`${description}. Absent when not measured.`).optional();

export const latestSample = z
  .strictObject({
    ts: timestamp(`When it was measured; a daemon measures every ${CHECK_IN_SECONDS} seconds`),
    ...(Object.fromEntries(
      publishedRows.map(({ name, description, unit }) => [name, measured(description + unit.worded)]),
    ) as Record<PublishedName, ReturnType<typeof measured>>),
  })
  .describe("The latest telemetry sample. A measurement that the daemon did not make is absent.");

export const serverDetail = z
  .strictObject({
    ...serverListItem.shape,
    created_at: timestamp("When the server was added"),
    facts,
    score_components: scoreComponents,
    score_notes: z
      .array(z.string())
      .describe("Why the score is what it is: what was measured, where full score ends, points lost; worst first."),
    latest_sample: latestSample.nullable().describe("The latest telemetry sample; null when none has arrived."),
  })
  .describe("A server in full.");

export const benchmarkScores = z
  .strictObject({
    cpu: benchmarkPoints("CPU"),
    disk: benchmarkPoints("Disk"),
    network: benchmarkPoints("Network"),
    stability: benchmarkPoints("Stability"),
    total: benchmarkPoints("All together"),
  })
  .describe("The scores of a benchmark run by section.");

export const benchmarkRun = z
  .strictObject({
    id: idOf("run"),
    label: z.string().describe("The name that was given to the run."),
    status: z.literal("done").describe("Only finished runs are listed."),
    scores: benchmarkScores,
    verified: z.boolean().describe("Whether the reported hardware passed the console's consistency checks."),
    finished_at: timestamp("When the run finished"),
  })
  .describe("A finished benchmark run.");

export const gameService = z
  .strictObject({
    id: idOf("service"),
    name: z.string().describe("The name that the service goes by in the console."),
    status: z.enum(GameServiceStatus).describe("State of the service."),
    java_hostname: z.string().describe("Public host name that players connect to."),
    origin_host: z.string().describe("Host of the origin behind the protection."),
    origin_port: z.int().min(1).max(65_535).describe("TCP port of the origin."),
    config_version: z.int().nonnegative().describe("Version of the configuration; each change raises it."),
    error: z.string().nullable().describe("Why the last change failed; null when nothing is wrong."),
    created_at: timestamp("When the service was created"),
    updated_at: timestamp("When the service last changed"),
  })
  .describe("A game-protection service.");

export const metricSample = z
  .strictObject({
    ts: timestamp("When the interval begins"),
    node_id: z.int().nonnegative().describe("The edge node that reported the interval."),
    packets: counter(`${MEANINGS.packets},`),
    bytes: counter(`${MEANINGS.bytes},`),
    dropped: counter(`${MEANINGS.dropped};`),
    connections: counter(MEANINGS.connections),
    latency_ms: z
      .number()
      .nullable()
      .describe(`${MEANINGS.latency}, in milliseconds; null when the edge did not measure it.`),
  })
  .describe(`One interval of ${INTERVAL_SECONDS} seconds as one edge node counted it.`);

/** How far back a series reaches. */
export const metricRange = z.enum(RANGE_NAMES).describe("How far back the series reaches: an hour, a day or a week.");

export const since = z
  .int()
  .nonnegative()
  .max(LATEST_SINCE)
  .describe(
    "Only intervals that begin after this, in Unix epoch milliseconds; it narrows `range` and never widens it. Edge nodes deliver intervals up to two hours late: those lie before the `ts` that you saw last, so ask again for two hours and a half from time to time, as `follow` of both clients does.",
  );

export const metricSeries = z
  .strictObject({
    range: metricRange,
    series: z
      .array(metricSample)
      .describe(
        "Every stored interval of the range, by ts and then node_id. One that no edge node reported is absent.",
      ),
  })
  .describe("The traffic of a game-protection service.");

export const serverList = z
  .strictObject({ servers: z.array(serverListItem).describe("By id; all of them.") })
  .describe("The servers of the account.");
export const benchmarkRuns = z
  .strictObject({ benchmarks: z.array(benchmarkRun).describe("Newest first; every one that the console keeps.") })
  .describe("The finished benchmark runs of a server.");
export const gameServiceList = z
  .strictObject({ services: z.array(gameService).describe("By id; all of them.") })
  .describe("The game-protection services that the account owns or was granted.");

export const failure = z
  .strictObject({ error: z.string().min(1).describe("What is wrong, for a person to read.") })
  .describe("The body of every failure.");

export type ServerListItem = z.infer<typeof serverListItem>;
export type ServerDetail = z.infer<typeof serverDetail>;
export type ServerList = z.infer<typeof serverList>;
export type BenchmarkRun = z.infer<typeof benchmarkRun>;
export type BenchmarkRuns = z.infer<typeof benchmarkRuns>;
export type GameService = z.infer<typeof gameService>;
export type GameServiceList = z.infer<typeof gameServiceList>;
export type MetricRange = z.infer<typeof metricRange>;
export type MetricSeries = z.infer<typeof metricSeries>;
