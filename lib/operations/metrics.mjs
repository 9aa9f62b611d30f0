// Collects the metrics of this process for /ops/metrics. Each part of the code adds a source.
import { shared } from "../process/shared-with-server.mjs";

/** @typedef {import("../process/shared-with-server.mjs").MetricFamily} Family */
/** @typedef {import("../process/shared-with-server.mjs").MetricSource} Source */

const sources = shared("metricSources", () => new Map());
/** Time limit for a source. One that waits for an unreachable database must not delay the others. */
const SOURCE_MS = 3000;

/**
 * @param {string} name of the source; a second one of this name takes the place of the first
 * @param {Source} source
 */
export function addMetricSource(name, source) {
  sources.set(name, source);
}

/**
 * @param {string} name
 * @param {string} help
 * @param {Family["samples"] | number} samples a number is the one sample
 * @returns {Family}
 */
export function gauge(name, help, samples) {
  return { name, help, type: "gauge", samples: typeof samples === "number" ? [[{}, samples]] : samples };
}

/**
 * @param {string} name
 * @param {string} help
 * @param {Family["samples"] | number} samples
 * @returns {Family}
 */
export function counter(name, help, samples) {
  return { ...gauge(name, help, samples), type: "counter" };
}

/** All families of this process. A source that fails, or takes too long, is left out. */
export async function collectMetrics() {
  const collected = await Promise.all(
    [...sources.values()].map(async (source) => {
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      const timeUp = new Promise((resolve) => {
        timer = setTimeout(resolve, SOURCE_MS, []);
      });
      try {
        return /** @type {Family[]} */ (await Promise.race([source(), timeUp]));
      } catch {
        return [];
      } finally {
        clearTimeout(timer);
      }
    }),
  );
  return collected.flat();
}

/**
 * Prometheus' text format, version 0.0.4. A family without samples is left out.
 * @param {readonly Family[]} families
 */
export function writeFamilies(families) {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([labels, value, suffix = ""]) => `${name}${suffix}${writeLabels(labels)} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("");
}

/** @param {Record<string, string>} labels */
function writeLabels(labels) {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, "\\$&")}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
}
