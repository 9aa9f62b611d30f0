import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "./time";
import {
  clockField,
  inSteps,
  MOST_POINTS,
  middleOfStep,
  parseRange,
  rangeParams,
  SHORTEST_RANGE,
  stepOf,
} from "./time-range";

const BERLIN = "Europe/Berlin";
const now = Date.parse("2026-11-23T12:00:00Z");
const rules = { zone: BERLIN, now, keptDays: 400, what: "Sums are" };
const parse = (from: unknown, to: unknown, zone = BERLIN) => parseRange({ from, to }, { ...rules, zone });
const at = (text: string) => Date.parse(text);

/** The range that is shown, as instants, and what is said of it. */
function shown(from: unknown, to: unknown) {
  const asked = parse(from, to);
  if (asked.kind !== "range") return asked;
  const { range, notes } = asked;
  return [new Date(range.from).toISOString(), new Date(range.to).toISOString(), ...notes];
}

test("a query without either parameter asks for no range of its own", () => {
  expect(parse(undefined, undefined)).toEqual({ kind: "none" });
});

test("an instant is the same everywhere, and form times follow the account's zone", () => {
  const range = { from: at("2026-11-22T13:00:00Z"), to: at("2026-11-22T14:30:00Z") };
  const params = { from: "2026-11-22T13:00Z", to: "2026-11-22T14:30Z" };
  expect(rangeParams(range)).toEqual(params);
  for (const zone of [BERLIN, "UTC", "Asia/Kathmandu"]) {
    expect(parse(params.from, params.to, zone)).toEqual({ kind: "range", range, notes: [], exact: null });
    const typed = parse(clockField(range.from, zone), clockField(range.to, zone).replace("T", " "), zone);
    expect(typed).toEqual({ kind: "range", range, notes: [], exact: params });
  }
  expect(rangeParams({ from: range.from + 1000, to: range.to })).toEqual({ ...params, from: "2026-11-22T13:00:01Z" });
});

test("an input without date and time is refused, and readable fields stay", () => {
  const bad = [undefined, "", "x", "2026-11-22", "2026-02-30T12:00", "2026-13-01T12:00", "2026-00-01T12:00Z"];
  const worse = ["2026-11-22T24:00", "2026-11-22T12:60", "12026-11-22T12:00", "1763816400000", ["a", "b"], {}, null];
  for (const from of [...bad, ...worse]) {
    expect(parse(from, "2026-11-22T12:00Z"), String(from)).toEqual({
      kind: "refused",
      message: "Enter both times, each with a date and a time.",
      fields: { from: "", to: "2026-11-22T13:00" },
    });
    expect(parse("2026-11-22T12:00Z", from)).toMatchObject({ kind: "refused" });
  }
});

test("a reversed, future or no longer kept range is refused with a sentence", () => {
  const message = (from: string, to: string) => {
    const asked = parse(from, to);
    return asked.kind === "refused" ? asked.message : asked.kind;
  };
  expect(message("2026-11-22T14:00", "2026-11-22T13:59")).toBe("This time ends before it begins.");
  expect(message("9999-01-01T00:00", "0000-01-01T00:00")).toBe("This time ends before it begins.");
  expect(message("2026-11-23T13:00", "2026-11-24T13:00")).toBe("This time has not come yet.");
  expect(message("9999-01-01T00:00Z", "9999-12-31T23:59Z")).toBe("This time has not come yet.");
  const gone = "Sums are kept for 400 days: there is no data before 19 Oct 2025.";
  expect(message("0000-01-01T00:00", "0001-01-01T00:00")).toBe(gone);
  expect(message("2025-10-01T00:00", "2025-10-10T00:00")).toBe(gone);
});

test("years 0 and 9999 together are all that is kept, and that is said", () => {
  expect(shown("0000-01-01T00:00", "9999-12-31T23:59")).toEqual([
    "2025-10-19T12:00:00.000Z",
    "2026-11-23T12:00:00.000Z",
    "Sums are kept for 400 days: the charts begin on 19 Oct 2025.",
    "The rest of this time has not come yet.",
  ]);
});

test("a range too short becomes five minutes, never beyond now, and says so", () => {
  const short = "The charts show 5 minutes: a shorter time has too few values.";
  for (const [from, to, begin, end] of [
    ["2026-11-22T13:00Z", "2026-11-22T13:00Z", "2026-11-22T12:57:30.000Z", "2026-11-22T13:02:30.000Z"],
    ["2026-11-22T13:00:00Z", "2026-11-22T13:00:01Z", "2026-11-22T12:57:30.500Z", "2026-11-22T13:02:30.500Z"],
    ["2026-11-23T11:59Z", "2026-11-23T12:00Z", "2026-11-23T11:55:00.000Z", "2026-11-23T12:00:00.000Z"],
  ]) {
    expect(shown(from, to)).toEqual([begin, end, short]);
  }
});

test("a repeated summer time hour is shown whole, a skipped one as the next", () => {
  expect(shown("2026-10-25T02:30", "2026-10-25T02:30")).toEqual([
    "2026-10-25T00:30:00.000Z",
    "2026-10-25T01:30:00.000Z",
    "The clocks of Europe/Berlin showed 25 Oct, 02:30 twice: the time shown begins with the first.",
    "The clocks of Europe/Berlin showed 25 Oct, 02:30 twice: the time shown ends with the second.",
  ]);
  expect(shown("2026-03-29T02:30", "2026-03-29T04:00")).toEqual([
    "2026-03-29T01:30:00.000Z",
    "2026-03-29T02:00:00.000Z",
    "The clocks of Europe/Berlin never showed 29 Mar, 02:30: it is read as 29 Mar, 03:30.",
  ]);
  // Another zone has them once.
  const once = parse("2026-10-25T02:30", "2026-10-25T04:30", "UTC");
  expect(once).toMatchObject({ notes: [], exact: { from: "2026-10-25T02:30Z" } });
  // What has something to say stays in the URL as it was typed.
  expect(parse("2026-10-25T02:30", "2026-10-25T04:30")).toMatchObject({ exact: null });
});

test("any range draws at most a thousand points a line, in whole round steps", () => {
  for (let length = SHORTEST_RANGE; length < 18_000 * DAY; length *= 1.1) {
    for (const least of [MINUTE, HOUR]) {
      const step = stepOf(length, least);
      expect(step).toBeGreaterThanOrEqual(least);
      expect(length / step).toBeLessThanOrEqual(MOST_POINTS);
      expect(Math.min(HOUR % step, step % HOUR)).toBe(0);
      const whole = inSteps({ from: now - length, to: now }, step);
      expect([whole.from % step, whole.to % step]).toEqual([0, 0]);
      expect(whole.from).toBeLessThanOrEqual(now - length);
      expect(whole.to).toBeGreaterThanOrEqual(now);
    }
  }
  expect([HOUR, DAY, 7 * DAY, 400 * DAY].map((length) => stepOf(length, MINUTE) / MINUTE)).toEqual([1, 2, 15, 720]);
  expect(inSteps({ from: now, to: now }, HOUR)).toEqual({ from: now - HOUR, to: now });
});

test("a point never stands after now, however little of its step is over", () => {
  const middles = [2, 10, 60].map((minutes) => middleOfStep(now, 10 * MINUTE, now + minutes * MINUTE) - now);
  expect(middles).toEqual([MINUTE, 5 * MINUTE, 5 * MINUTE]);
});
