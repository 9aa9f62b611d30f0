import { SECRETS } from "./seed";

// Writes answers for people: what differs with each run has a name.

type Names = [pattern: RegExp, name: string | ((found: string) => string)][];
/** What differs with each run, and its name. */
const NAMES: Names = [
  [/\b(?:cpat|csrv|cbench|cedg)_[0-9A-Za-z]{36}\b/g, (raw) => `<${SECRETS.get(raw) ?? `a new ${raw.split("_")[0]}`}>`],
  [/(?<=session=)[\w-]{43}/g, (raw) => `<${SECRETS.get(raw) ?? "a new session"}>`],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, "<id>"],
  [/(?<=Retry in )(?:[1-9]|[1-5]\d|60)(?= second)/g, "<1 to 60>"],
  [/\b\w{3}, \d\d \w{3} 20(?!25)\d\d \d\d:\d\d:\d\d GMT/g, "<date>"],
  [/(?<=is )\d{8,}(?= minutes)/g, "<many>"],
];
const [MINUTE, HOUR] = [60_000, 3_600_000];
/** An instant in milliseconds, in seconds, or as text. */
const INSTANT =
  /\b1[7-9]\d{11}\b|\b1[7-9]\d{8}(?:\.\d+)?\b|\b20(?!25)\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;
/** A replay ends within this time. */
const LONGEST = 20 * MINUTE;

/** Names what differs with each run. `start` is when the recording began. Dates of 2025 are those of the seed, and stay. */
export function withNames(text: string, start: number): string {
  const timed = text.replaceAll(INSTANT, (found) => instantName(found, start));
  return NAMES.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name as (found: string) => string), timed);
}

/** By how far it lies from the start: a whole time as in the seed, or the beginning of a range that ends at a request. */
function instantName(found: string, start: number): string {
  const ms = found.includes("T") ? Date.parse(found) : Number(found) * (/^\d{13}$/.test(found) ? 1 : 1000);
  if (ms < Date.UTC(2026)) return found;
  const apart = ms - start;
  const range = [0, 1, 24, 7 * 24].find(
    (hours) => apart + hours * HOUR >= -2 * MINUTE && apart + hours * HOUR < LONGEST,
  );
  if (range !== undefined) return range === 0 ? "<now>" : `<now-${range}h>`;
  return `<now${apart < 0 ? "-" : "+"}${apart % HOUR === 0 ? `${Math.abs(apart / HOUR)}h` : `${Math.abs(apart / MINUTE)}m`}>`;
}

/** Compact JSON as lines; any other text stays as it is. */
export function indented(text: string): string {
  try {
    const value = JSON.parse(text);
    if (JSON.stringify(value) === text) {
      const lines = JSON.stringify(value, null, 1);
      return lines.replaceAll(
        /\[\s+(-?[\d.]+(?:,\s+-?[\d.]+)*)\s+\]/g,
        (_, numbers) => `[${numbers.replaceAll(/\s+/g, " ")}]`,
      );
    }
  } catch {}
  return text;
}
