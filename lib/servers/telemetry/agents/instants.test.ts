import { expect, test } from "vitest";
import { SECOND } from "@/lib/format/time";
import { type AgentState, type Instant, MAX_INSTANT_BYTES, MAX_READINGS, NO_STATE, takeIn } from "./instants";
import type { Reading } from "./readings";

const WINDOW = 7.5 * SECOND;
const T = 1_800_000_000_000;

/** Readings at so many seconds: "a b" are the keys. */
const at = (seconds: number, keys: string): Reading[] =>
  keys.split(" ").map((key) => ({ key, ts: T + seconds * SECOND, value: seconds }));

/** What finished while these requests came one after the other, as seconds and keys. */
function finished(window: number, ...requests: Reading[][]): string[] {
  let state = NO_STATE;
  const found: Instant[] = [];
  for (const request of requests) {
    let rest: readonly Reading[] = request;
    do {
      const step = takeIn(state, rest, window);
      if (step.finished) found.push(step.finished.instant);
      // As the database keeps it.
      state = JSON.parse(JSON.stringify(step.state)) as AgentState;
      rest = step.rest;
    } while (rest.length > 0);
  }
  return found.map(({ ts, readings }) => `${(ts - T) / SECOND}: ${Object.keys(readings).sort().join(" ")}`);
}

test("the first instant waits for the second, later ones for the same parts", () => {
  expect(finished(0, at(0, "a b"))).toEqual([]);
  expect(finished(0, at(0, "a b"), at(15, "a"))).toEqual(["0: a b"]);
  expect(finished(0, at(0, "a b"), at(15, "a"), at(15, "b"))).toEqual(["0: a b", "15: a b"]);
  expect(finished(0, at(0, "a b"), at(15, "a b"), at(30, "b a c"))).toEqual(["0: a b", "15: a b", "30: a b c"]);
});

test("an instant in parts is finished once, and a late part is then expected", () => {
  const late = [at(0, "a"), at(15, "a"), at(15, "b"), at(30, "a"), at(30, "b")];
  expect(finished(0, ...late)).toEqual(["0: a", "15: a", "30: a b"]);
});

test("the same request again changes nothing, whatever came in between", () => {
  const requests = [at(0, "a b"), at(15, "a b"), at(30, "a"), at(30, "b")];
  const twice = requests.flatMap((request) => [request, request]);
  expect(finished(0, ...twice)).toEqual(finished(0, ...requests));
  expect(finished(0, ...requests, ...requests)).toEqual(finished(0, ...requests));
});

test("a series that ended, by its word or by its silence, keeps nothing waiting", () => {
  const ends: Reading = { key: "b", ts: T + 15 * SECOND, value: null };
  expect(finished(0, at(0, "a b"), [...at(15, "a"), ends])).toEqual(["0: a b", "15: a"]);
  expect(finished(0, at(0, "a b"), at(15, "a"), at(30, "a"))).toEqual(["0: a b", "15: a", "30: a"]);
});

test("plugins read one after the other make one instant, whatever the phase", () => {
  const round = (start: number) => [...at(start, "a"), ...at(start + 0.1, "b"), ...at(start + 4, "c")];
  const wanted = (...starts: number[]) => starts.map((start) => `${start}: a b c`);
  for (const every of [10, 15, 30, 60]) {
    const [second, third] = [9 + every, 9 + 2 * every];
    expect(finished(WINDOW, round(9), round(second), round(third))).toEqual(wanted(9, second, third));
    // Each plugin in a request of its own, and all of them again.
    const parts = [9, second, third].flatMap((start) => round(start).map((reading) => [reading]));
    expect(finished(WINDOW, ...parts)).toEqual(wanted(9, second, third));
    expect(finished(WINDOW, round(9), round(9), round(second), round(second))).toEqual(wanted(9, second));
  }
});

test("a series that begins a round later belongs to its own round", () => {
  const rounds = [at(0.05, "a b"), at(10, "a b c d"), at(19.9, "d c b a"), at(29.95, "a b c d")];
  const wanted = ["0.05: a b", "10: a b c d", "19.9: a b c d", "29.95: a b c d"];
  expect(finished(WINDOW, ...rounds)).toEqual(wanted.filter((_, index) => index !== 2));
  expect(finished(WINDOW, rounds.flat())).toEqual(wanted.filter((_, index) => index !== 2));
});

test("instants closer than ten seconds give one sample every ten seconds", () => {
  const everySecond = Array.from({ length: 25 }, (_, second) => at(second, "a"));
  expect(finished(0, ...everySecond)).toEqual(["0: a", "10: a", "20: a"]);
  const state = everySecond.slice(0, 10).reduce((before, request) => takeIn(before, request, 0).state, NO_STATE);
  expect(takeIn(state, at(10, "a"), 0).finished?.previous?.ts).toBe(T);
});

test("a backlog in one request is an instant for each of its times", () => {
  const backlog = [0, 15, 30, 45].flatMap((second) => at(second, "a b"));
  expect(finished(0, backlog)).toEqual(["0: a b", "15: a b", "30: a b", "45: a b"]);
});

test("an instant remembers a bounded number of readings and bytes", () => {
  const remembered = (keyOf: (n: number) => string, value: number) => {
    const many = Array.from({ length: 3 * MAX_READINGS }, (_, n) => ({ key: keyOf(n), ts: T, value }));
    const { state } = takeIn(takeIn(NO_STATE, many.slice(MAX_READINGS), 0).state, many, 0);
    return state.open?.readings ?? {};
  };
  expect(Object.keys(remembered((n) => `k${n}`, 1))).toHaveLength(MAX_READINGS);
  const long = JSON.stringify(remembered((n) => `disk|/${"\u{1f600}".repeat(25)}${n}`, -Math.PI * 1e-300));
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(MAX_INSTANT_BYTES);
  expect(Buffer.byteLength(long)).toBeGreaterThan(0.95 * MAX_INSTANT_BYTES);
});

test("all that a machine of 256 cores reports is remembered", () => {
  const states = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];
  const cores = Array.from({ length: 256 }, (_, core) => states.map((state) => `cpu|${core}|${state}`)).flat();
  const disks = Array.from({ length: 60 }, (_, n) =>
    ["size", "unused", "available"].map((of) => `disk|/srv/data/${n}|${of}`),
  );
  const all = [...cores, ...disks.flat()].map((key, n) => ({ key, ts: T, value: 123_456_789.12 + n }));
  expect(Object.keys(takeIn(NO_STATE, all, 0).state.open?.readings ?? {})).toHaveLength(all.length);
});
