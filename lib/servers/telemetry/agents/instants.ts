import { SECOND } from "@/lib/format/time";
import type { Reading, Readings } from "./readings";

/** What an agent read of its machine at one moment. `until` is the time of the newest of it, in epoch milliseconds. */
export type Instant = { readonly ts: number; readonly until: number; readonly readings: Readings };

/**
 * What the console remembers of an agent between two requests: the last instant that became a sample, from which counters
 * are differenced, and the one that is not whole yet.
 */
export type AgentState = { readonly last: Instant | null; readonly open: Instant | null };

export const NO_STATE: AgentState = { last: null, open: null };

/** The most readings of one instant: 256 cores in eight states, and 512 more. Further ones are ignored. */
export const MAX_READINGS = 2560;
/** In bytes of JSON: the most of one instant. Its names take so many more, with the longest number and what stands between. */
export const MAX_INSTANT_BYTES = 128 * 1024;
const BYTES_OF_NUMBER = 26;

/** At most one sample is stored per span of this many milliseconds, so closer instants are not worth one. */
const SAMPLE_EVERY = 10 * SECOND;

/** The state after some readings. `finished` is whole and becomes a sample; `rest` are the readings behind it. */
type Step = { state: AgentState; finished: Finished | null; rest: readonly Reading[] };
export type Finished = { instant: Instant; previous: Instant | null };

/**
 * Takes readings in, in the order of their times, until an instant is finished. An agent sends an instant in several
 * requests, so one is finished when it has every series of the one before, or when a later one begins. Readings of one
 * instant are at most `window` milliseconds apart. The same readings again change nothing.
 */
export function takeIn(state: AgentState, readings: readonly Reading[], window: number): Step {
  let [last, open] = [growing(state.last), growing(state.open)];
  for (let index = 0; index < readings.length; index++) {
    const reading = readings[index] as Reading;
    const { key, ts, value } = reading;
    if (value === null) {
      for (const instant of [last, open]) instant?.readings.delete(key);
    } else if (open && ts >= open.ts && isPart(open, reading, window)) {
      add(open, key, value);
      open.until = Math.max(open.until, ts);
    } else if (last && (!open || ts < open.ts) && isPart(last, reading, window)) {
      // It comes after its instant became a sample. From now on instants wait for this series.
      add(last, key, value);
    } else if ((last && ts <= last.until) || (open && isKnown(open, reading))) {
      // It was delivered before, or is older than what became a sample.
    } else if (open && isPart(open, reading, window)) {
      add(open, key, value);
    } else if (!open) {
      open = begin(ts);
      add(open, key, value);
    } else if (ts > open.ts) {
      if (!last || spanOf(open.ts) > spanOf(last.ts)) return finish(last, open, readings.slice(index));
      open = begin(ts);
      add(open, key, value);
    }
  }
  const isWhole = last && open && spanOf(open.ts) > spanOf(last.ts) && hasAllOf(last, open);
  if (open && isWhole) return finish(last, open, []);
  return { state: { last: last && kept(last), open: open && kept(open) }, finished: null, rest: [] };
}

function finish(last: Growing | null, open: Growing, rest: readonly Reading[]): Step {
  const instant = kept(open);
  return { state: { last: instant, open: null }, finished: { instant, previous: last && kept(last) }, rest };
}

/** An instant that readings are added to. */
type Growing = { ts: number; until: number; readings: Map<string, number>; bytes: number };

function growing(instant: Instant | null): Growing | null {
  if (!instant) return null;
  const begun = begin(instant.ts, instant.until);
  for (const [key, value] of Object.entries(instant.readings)) add(begun, key, value);
  return begun;
}

function begin(ts: number, until = ts): Growing {
  return { ts, until, readings: new Map(), bytes: 0 };
}

function kept({ ts, until, readings }: Growing): Instant {
  return { ts, until, readings: Object.fromEntries(readings) };
}

function add(to: Growing, key: string, value: number): void {
  const bytes = to.bytes + Buffer.byteLength(JSON.stringify(key)) + BYTES_OF_NUMBER;
  if (to.readings.size === MAX_READINGS || bytes > MAX_INSTANT_BYTES) return;
  to.readings.set(key, value);
  to.bytes = bytes;
}

/** Whether a reading belongs to an instant that does not have it yet. */
function isPart({ ts, readings }: Growing, reading: Reading, window: number): boolean {
  return Math.abs(reading.ts - ts) <= window && !readings.has(reading.key);
}

function isKnown({ until, readings }: Growing, reading: Reading): boolean {
  return reading.ts <= until && readings.has(reading.key);
}

function hasAllOf(last: Growing, open: Growing): boolean {
  return [...last.readings.keys()].every((key) => open.readings.has(key));
}

function spanOf(ts: number): number {
  return Math.floor(ts / SAMPLE_EVERY);
}
