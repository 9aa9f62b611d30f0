// What this process tells of itself at /ops/metrics. Each part of it adds a source; the server and the app are bundled
// apart, so the sources live in the process, not in a module.

/**
 * `merge`: what several workers report is added up, or the greatest of it counts. A label has few values, never what a
 * client sent. The third part of a sample is the end of its name, which histograms have.
 * @typedef {{
 *   name: string,
 *   help: string,
 *   type: "counter" | "gauge" | "histogram",
 *   merge: "sum" | "max",
 *   samples: [labels: Record<string, string>, value: number, suffix?: string][],
 * }} Family
 * @typedef {() => Family[] | Promise<Family[]>} Source
 */

const SOURCES = Symbol.for("console-api.metric-sources");
/** A source that waits for a database that is away must not hold up the others. */
const SOURCE_MS = 3000;

/** @returns {Map<string, Source>} */
function sources() {
  const known = Reflect.get(globalThis, SOURCES);
  if (known) return known;
  /** @type {Map<string, Source>} */
  const made = new Map();
  Reflect.set(globalThis, SOURCES, made);
  return made;
}

/**
 * @param {string} name of the source; a second one of this name takes the place of the first
 * @param {Source} source
 */
export function addMetricSource(name, source) {
  sources().set(name, source);
}

/** All families of this process. A source that fails, or takes too long, is left out. */
export async function collectMetrics() {
  const collected = await Promise.all(
    [...sources().values()].map(async (source) => {
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
 * One list of families of what several processes report.
 * @param {readonly (readonly Family[])[]} reports
 * @returns {Family[]}
 */
export function mergeFamilies(reports) {
  /** @type {Map<string, { family: Family, values: Map<string, Family["samples"][number]> }>} */
  const merged = new Map();
  for (const family of reports.flat()) {
    const known = merged.get(family.name) ?? { family, values: new Map() };
    merged.set(family.name, known);
    for (const [labels, value, suffix = ""] of family.samples) {
      const key = JSON.stringify([labels, suffix]);
      const before = known.values.get(key)?.[1];
      const sum = before === undefined ? value : family.merge === "max" ? Math.max(before, value) : before + value;
      known.values.set(key, [labels, sum, suffix]);
    }
  }
  return [...merged.values()].map(({ family, values }) => ({ ...family, samples: [...values.values()] }));
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
