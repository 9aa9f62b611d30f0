// Counts requests and measures the process, for /ops/metrics.
import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { addMetricSource, counter, gauge } from "../../lib/operations/metrics.mjs";
import { buildInfo } from "../../lib/process/build-info.mjs";
import { countLostLines } from "../../lib/process/lost-lines.mjs";

/** Upper bounds in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NANOSECONDS = 1e9;
/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 10;

/**
 * Durations of the answers of one route and status.
 * @typedef {{ labels: { route: string, status: string }, buckets: number[], seconds: number, count: number }} Answers
 */
/** By route and status. @type {Map<string, Answers>} */
const answered = new Map();
let running = 0;
let finished = 0;

/**
 * Counts a request when it is answered. The route label is a route pattern or a fixed word. A path would be unbounded.
 * @param {import("node:http").ServerResponse} response
 * @returns {{ route: string }} to be told the route
 */
export function measure(response) {
  const measured = { route: "refused" };
  const start = performance.now();
  running++;
  response.once("close", () => {
    running--;
    finished++;
    count(measured.route, response.statusCode, (performance.now() - start) / 1000);
  });
  return measured;
}

/** How many requests are being answered, and how many were since the start of this process. */
export function countRequests() {
  return { running, finished };
}

/**
 * @param {string} route
 * @param {number} status
 * @param {number} seconds
 */
function count(route, status, seconds) {
  const key = `${route} ${status}`;
  const labels = { route, status: String(status) };
  const answers = answered.get(key) ?? { labels, buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 };
  answered.set(key, answers);
  answers.count++;
  answers.seconds += seconds;
  for (const [index, bound] of BUCKETS.entries()) {
    if (seconds <= bound) answers.buckets[index] = (answers.buckets[index] ?? 0) + 1;
  }
}

/** Starts measuring this process for /ops/metrics. */
export function tellOfProcess() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  // Node counts the whole time between two looks.
  const lateness = (/** @type {number} */ nanoseconds) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION / 1000);
  delay.enable();
  addMetricSource("requests", requestFamilies);
  addMetricSource("process", () => {
    const p99 = lateness(delay.percentile(99));
    const max = lateness(delay.max);
    delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    const { heap_size_limit: heapLimit } = getHeapStatistics();
    return [
      gauge("console_build_info", "The version and the commit that run.", [[buildInfo(), 1]]),
      gauge("console_requests_running", "Requests that are being answered.", running),
      gauge(
        "console_event_loop_delay_seconds",
        "How late the event loop was since the last look: 99 of 100 times at most, and at most.",
        [
          [{ percentile: "99" }, p99 || 0],
          [{ percentile: "100" }, max || 0],
        ],
      ),
      gauge("console_resident_memory_bytes", "Memory of this instance.", rss),
      gauge("console_heap_used_bytes", "Heap in use in this instance.", heapUsed),
      gauge(
        "console_memory_limit_bytes",
        "What the memory of this instance may grow to: the limit of its control group, or the machine's memory.",
        memoryLimit(),
      ),
      gauge("console_heap_full_ratio", "Share of its limit that the heap takes.", heapUsed / heapLimit),
    ];
  });
}

/** In bytes. Without a control group, Node answers none or more than any machine has. */
function memoryLimit() {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/** Adds the lines that the log of this process lost to /ops/metrics. */
export function tellOfLog() {
  addMetricSource("log", () => [
    counter(
      "console_log_lines_lost_total",
      "Lines that the log did not take, as when its disk is full.",
      countLostLines(),
    ),
  ]);
}

/** @returns {import("../../lib/operations/metrics.mjs").Family[]} */
function requestFamilies() {
  return [
    counter(
      "console_http_requests_total",
      "Requests answered, by route and status.",
      [...answered.values()].map(
        /** @returns {[Record<string, string>, number]} */
        ({ labels, count: times }) => [labels, times],
      ),
    ),
    {
      name: "console_http_request_duration_seconds",
      help: "From a request's first line to the end of its answer, by route and status.",
      type: "histogram",
      samples: [...answered.values()].flatMap(({ labels, buckets, seconds, count: times }) => [
        ...buckets.map(
          /** @returns {[Record<string, string>, number, string]} */
          (value, index) => [{ ...labels, le: String(BUCKETS[index]) }, value, "_bucket"],
        ),
        /** @type {[Record<string, string>, number, string]} */ ([{ ...labels, le: "+Inf" }, times, "_bucket"]),
        /** @type {[Record<string, string>, number, string]} */ ([labels, seconds, "_sum"]),
        /** @type {[Record<string, string>, number, string]} */ ([labels, times, "_count"]),
      ]),
    },
  ];
}
