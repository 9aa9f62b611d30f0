import { expect, test } from "vitest";
import { MINUTE, SECOND } from "@/lib/format/time";
import { type Answer, isRight, mostInAMinute, slopePerMinute, timesWithoutRedis } from "./judge";

const answer: Answer = {
  what: "GET /api/v1/me",
  instance: 0,
  token: null,
  status: 200,
  hasRetryAfter: false,
  expected: [200],
  isPage: false,
  needsNoStore: false,
  from: 1000,
  to: 2000,
};

test("a 503 is right with Retry-After while PostgreSQL is away, and nothing else but what is expected", () => {
  const away = [{ from: 1500, goneAt: 1600, to: 9000 }];
  const refused: Answer = { ...answer, status: 503, hasRetryAfter: true };
  expect(isRight(answer, [])).toBe(true);
  expect(isRight(refused, away)).toBe(true);
  expect(isRight(refused, [])).toBe(false);
  expect(isRight({ ...refused, hasRetryAfter: false }, away)).toBe(false);
  expect(isRight({ ...refused, hasRetryAfter: false, what: "GET /readyz" }, away)).toBe(true);
  expect(isRight({ ...refused, needsNoStore: true }, away)).toBe(false);
  expect(isRight({ ...refused, from: 9001, to: 9500 }, away)).toBe(false);
  const page: Answer = { ...answer, status: 500, isPage: true };
  expect(isRight(page, away)).toBe(true);
  expect(isRight({ ...page, from: 1601 }, away)).toBe(false);
  for (const status of [0, 401, 404, 429, 500]) expect(isRight({ ...refused, status }, away)).toBe(false);
});

test("the most requests that were sent and answered within one minute are found, across the edges of the clock's minutes", () => {
  const at = (from: number, to = from + 10) => ({ from, to });
  const burst = Array.from({ length: 60 }, (_, n) => at(59 * SECOND + n));
  const next = Array.from({ length: 61 }, (_, n) => at(61 * SECOND + n));
  expect(mostInAMinute([...burst, ...next])).toBe(121);
  // It may have been accepted when the first had left the minute.
  expect(mostInAMinute([at(0), at(MINUTE - 5)])).toBe(1);
  // It may have been accepted before the others were.
  expect(mostInAMinute([at(0, 70 * SECOND), at(65 * SECOND), at(66 * SECOND)])).toBe(2);
  expect(mostInAMinute([...burst, ...next], [{ from: 70 * SECOND, to: 71 * SECOND }])).toBe(121);
  expect(mostInAMinute([...burst, ...next], [{ from: 60 * SECOND, to: 61 * SECOND - 1 }])).toBe(61);
  expect(mostInAMinute([...burst, ...next], [{ from: 0, to: 80 * SECOND }])).toBe(0);
});

test("a slope is what is added in a minute", () => {
  const points = [0, 1, 2, 3].map((n) => ({ at: n * 30 * SECOND, value: 100 + 5 * n }));
  expect(slopePerMinute(points)).toBeCloseTo(10);
  expect(slopePerMinute(points.slice(0, 1))).toBe(0);
});

test("the log says when an instance did without Redis", () => {
  const line = (event: string, second: number) =>
    JSON.stringify({ time: new Date(second * SECOND).toISOString(), level: "error", event });
  const log = [
    line("started", 1),
    line("rate limit store unavailable", 10),
    line("rate limit store available again", 20),
    line("rate limit store unavailable", 30),
  ].join("\n");
  expect(timesWithoutRedis(log)).toEqual([
    { from: 8 * SECOND, to: 20 * SECOND },
    { from: 28 * SECOND, to: Number.POSITIVE_INFINITY },
  ]);
});
