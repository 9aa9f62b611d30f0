// /ops/metrics for the operator, on a port of its own.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { pool } from "@/lib/database/client";
import { DAILY_TABLES } from "@/lib/database/partitions";
import { DAY, SECOND } from "@/lib/format/time";
import { listRefused } from "@/lib/game-services/edges/nodes";
import { measureDue } from "@/lib/notices/rows";
import { noticeCounts } from "@/lib/notices/sending";
import { readiness } from "@/lib/operations/readiness";
import { buildInfo } from "@/lib/process/build-info.mjs";
import { env } from "@/lib/process/env";
import { fairCounts } from "@/lib/process/fair";
import { logFault } from "@/lib/process/faults.mjs";
import { inTime } from "@/lib/process/in-time";
import { KEPT } from "@/lib/process/kept";
import { log } from "@/lib/process/log.mjs";
import { countLostLines } from "@/lib/process/lost-lines.mjs";
import { limitCounts, limitStoreIsUp } from "@/lib/rate-limit";
import { DATABASE_BYTES, oldestDayOf } from "@/lib/sweep/database-state";
import { findLastSweep } from "@/lib/sweep/last-sweep";
import { listen } from "./listen";

const PATH = "/ops/metrics";
/** A metric that waits for an unreachable database must not delay the others, in milliseconds. */
const LONGEST_MS = 3 * SECOND;
/** A process whose database takes longer to answer is not ready. */
const READY_WITHIN = 2 * SECOND;
const NANOSECONDS = 1e9;
/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 10;

const registry = new Registry();
/** A number, or numbers by the value of the first label, and so on. Undefined: there is none. */
type Values = number | undefined | { readonly [value: string]: Values };

/**
 * A metric that is read when it is asked for: its name, with the names of its labels as `{first,second}`. What cannot be
 * read has no sample. Labels never hold text of a client.
 */
type Declare = (title: string, help: string, read: () => Values | Promise<Values>) => void;
const gauge: Declare = (...row) => metric(Gauge, ...row);
const counter: Declare = (...row) => metric(Counter, ...row);

function metric(Kind: typeof Gauge | typeof Counter, ...[title, help, read]: Parameters<Declare>): void {
  const [name, ...labelNames] = title.split(/[{,}]/).filter(Boolean);
  new Kind({
    name: `console_${name}`,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      this.reset();
      const found = await inTime(async () => read(), LONGEST_MS).catch(() => undefined);
      // Without labels, it would be 0.
      if (found === undefined) this.remove({});
      for (const [labels, value] of samplesOf(found, labelNames)) this.inc(labels, value);
    },
  });
}

function* samplesOf(values: Values, names: string[], labels = {}): Generator<[labels: object, value: number]> {
  const [name = "", ...others] = names;
  if (typeof values === "number") yield [labels, values];
  else for (const [key, of] of Object.entries(values ?? {})) yield* samplesOf(of, others, { ...labels, [name]: key });
}

let running = 0;
let finished = 0;
const requests = new Counter({
  name: "console_http_requests_total",
  help: "Requests answered, by route and status.",
  labelNames: ["route", "status"],
  registers: [registry],
});
const durations = new Histogram({
  name: "console_http_request_duration_seconds",
  help: "From a request's first line to the end of its answer, by route and status.",
  labelNames: ["route", "status"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

/** Counts a request when it is answered. The result is to be told the route: a pattern or a fixed word. */
export function measure(response: ServerResponse): { route: string } {
  const measured = { route: "refused" };
  const start = performance.now();
  running++;
  response.once("close", () => {
    running--;
    finished++;
    const labels = { route: measured.route, status: String(response.statusCode) };
    requests.inc(labels);
    durations.observe(labels, (performance.now() - start) / SECOND);
  });
  return measured;
}

/** How many requests are being answered, and how many were since the start of this process. */
export function countRequests(): { running: number; finished: number } {
  return { running, finished };
}

const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();

gauge("build_info{version,commit}", "The version and the commit that run.", () => {
  const { version, commit } = buildInfo();
  return { [version]: { [commit]: 1 } };
});
gauge("requests_running", "Requests that are being answered.", () => running);
gauge(
  "event_loop_delay_seconds{percentile}",
  "How late the event loop was since the last look: 99 of 100 times at most, and at most.",
  () => {
    // Node counts the whole time between two looks.
    const lateness = (ns: number) => Math.max(0, ns / NANOSECONDS - RESOLUTION / SECOND) || 0;
    const found = { 99: lateness(delay.percentile(99)), 100: lateness(delay.max) };
    delay.reset();
    return found;
  },
);
gauge("resident_memory_bytes", "Memory of this instance.", () => process.memoryUsage.rss());
gauge("heap_used_bytes", "Heap in use in this instance.", () => process.memoryUsage().heapUsed);
gauge(
  "memory_limit_bytes",
  "What the memory of this instance may grow to: the limit of its control group, or the machine's memory.",
  // Without a control group, Node answers none or more than any machine has.
  () => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
);
gauge("heap_full_ratio", "Share of its limit that the heap takes.", () => {
  return process.memoryUsage().heapUsed / getHeapStatistics().heap_size_limit;
});
counter("log_lines_lost_total", "Lines that the log did not take, as when its disk is full.", countLostLines);

gauge("admission_waiting{kind}", "Requests that wait for their share of what is scarce, by kind.", () =>
  mapValues(fairCounts(), ({ waiting }) => waiting),
);
counter(
  "admission_total{kind,outcome}",
  "Requests by kind and outcome: let in at once, let in after a wait, refused with 503.",
  () => mapValues(fairCounts(), ({ atOnce, waited, refused }) => ({ at_once: atOnce, waited, refused })),
);
counter("limit_decisions_total{policy,decision}", "Decisions of the rate limit, by policy.", () =>
  mapValues(Object.fromEntries(limitCounts()), ({ accepted, refused }) => ({ accepted, refused })),
);
gauge("limit_store_down", "Processes that decide alone because the shared store of the limit does not answer.", () => {
  const isUp = limitStoreIsUp();
  return isUp === null ? undefined : Number(!isUp);
});
gauge("database_connections{state}", "Connections to PostgreSQL, by what they do.", () => {
  return { idle: pool.idleCount, busy: pool.totalCount - pool.idleCount };
});
gauge("database_exhausted", "Processes in which no connection is left that a request could take.", () =>
  Number(pool.waitingCount > 0 || pool.totalCount - pool.idleCount >= env.databasePoolSize),
);
gauge(
  "not_ready",
  "Processes that say 503 at /readyz: they end, or the database is away or takes no writes.",
  async () => Number((await inTime(readiness, READY_WITHIN).catch(() => null)) !== "ok"),
);
gauge(
  "edge_node_refused{node}",
  "Connections that an edge node refused before they belonged to a service, in the newest minute that it reported.",
  async () => Object.fromEntries((await listRefused()).map(({ node, refused }) => [node, refused])),
);
gauge("notices_due", "Notices to channels that are due and not sent.", async () => (await measureDue()).due);
gauge("notices_oldest_due_seconds", "How long the oldest of what is to be told has been due.", async () => {
  return (await measureDue()).oldest;
});
counter("notices_total{outcome}", "Messages to channels, by how they ended: delivered, or given up.", () => {
  return noticeCounts;
});

gauge("sweep_finished_timestamp_seconds", "When the hourly sweep of all instances came to its end last.", async () => {
  const last = await findLastSweep();
  return last === null ? undefined : last.finishedAt.getTime() / SECOND;
});
gauge("sweep_failed_steps", "Steps of the last sweep that failed. The next one tries them again.", async () => {
  return (await findLastSweep())?.failedSteps;
});
gauge("database_size_bytes", "Size of the database, at the last sweep.", async () => {
  return (await findLastSweep())?.counts[DATABASE_BYTES];
});
gauge(
  "oldest_partition_timestamp_seconds{table}",
  "The oldest day that has a partition, by table, at the last sweep.",
  async () => {
    const last = await findLastSweep();
    return Object.fromEntries(DAILY_TABLES.map((table) => [table, last?.counts[oldestDayOf(table)]]));
  },
);
gauge("partition_kept_seconds{table}", "For how long the days of a table are kept.", () => ({
  telemetry_samples: (env.telemetryDays * DAY) / SECOND,
  metric_samples: (KEPT.metricsDays * DAY) / SECOND,
}));

function mapValues<Value>(all: Readonly<Record<string, Value>>, valuesOf: (value: Value) => Values): Values {
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, valuesOf(value)]));
}

/** Listens on OPS_PORT, if it is set. When the port is taken, the console runs without these metrics. */
export async function startMetrics(): Promise<void> {
  const [port, host] = [Number(process.env.OPS_PORT), process.env.OPS_HOST || "127.0.0.1"];
  if (!port) return;
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      logFault("metrics failed", error, {});
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "Cache-Control": "no-store" }).end("Internal error.\n");
    });
  });
  server.setTimeout(10 * SECOND);
  try {
    log("info", "metrics", { detail: `${host}:${await listen(server, port, host)}` });
  } catch (error) {
    log("error", "no metrics", { detail: `${host}:${port}: ${error instanceof Error ? error.message : error}` });
  }
  // The metrics port alone must not keep the process running.
  server.unref();
}

async function answer({ url, method = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
  const isAsked = url?.split("?")[0] === PATH && ["GET", "HEAD"].includes(method);
  const body = isAsked ? await registry.metrics() : "Not found.\n";
  response.writeHead(isAsked ? 200 : 404, {
    "Content-Type": isAsked ? registry.contentType : "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
  });
  response.end(method === "HEAD" ? undefined : body);
}
