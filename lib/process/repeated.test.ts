import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MINUTE, SECOND } from "@/lib/format/time";
import { endRepeated, logRepeated, type Repeated } from "./repeated.mjs";

const FAULT: Repeated = { level: "error", event: "request failed", reason: "TypeError at x.ts:1" };
const OUTAGE: Repeated = { level: "error", event: "store unavailable", over: "store available again" };

const lines: Record<string, unknown>[] = [];
const keep = (text: string | Uint8Array) => {
  lines.push(JSON.parse(String(text)));
  return true;
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process.stdout, "write").mockImplementation(keep);
  vi.spyOn(process.stderr, "write").mockImplementation(keep);
});
afterEach(() => {
  endRepeated(OUTAGE.event);
  vi.advanceTimersByTime(5 * MINUTE);
  lines.length = 0;
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("an outage of 10,000 failures logs its begin, minute counts and its end", () => {
  for (let i = 0; i < 10_000; i++) {
    logRepeated(OUTAGE, { request_id: `id-${i}` });
    vi.advanceTimersByTime((150 * SECOND) / 10_000);
  }
  endRepeated(OUTAGE.event);
  vi.advanceTimersByTime(10 * SECOND);
  expect(lines.map(({ event }) => event)).toEqual([...Array(3).fill(OUTAGE.event), OUTAGE.over]);
  expect(lines[0]).toMatchObject({ level: "error", request_id: "id-0" });
  for (const { repeated } of lines.slice(1, 3)) expect(Math.abs(Number(repeated) - 4000)).toBeLessThan(100);
  expect(lines[3]).toMatchObject({ level: "info", count: 10_000, seconds: 150 });
});

test("neither a success between failures nor silence ends an outage", () => {
  for (let i = 0; i < 20; i++) {
    endRepeated(OUTAGE.event);
    logRepeated(OUTAGE, {});
    vi.advanceTimersByTime(SECOND);
  }
  vi.advanceTimersByTime(10 * MINUTE);
  expect(lines).toMatchObject([{ event: OUTAGE.event }, { event: OUTAGE.event, repeated: 19 }]);
});

test("a single fault is one line, and it is logged anew after a minute", () => {
  logRepeated(FAULT, { stack: "first" });
  vi.advanceTimersByTime(2 * MINUTE);
  logRepeated(FAULT, { stack: "second" });
  logRepeated(FAULT, { stack: "third" });
  vi.advanceTimersByTime(2 * MINUTE);
  expect(lines).toMatchObject([
    { event: "request failed", stack: "first" },
    { event: "request failed", stack: "second" },
    { event: "over: request failed", reason: "TypeError at x.ts:1", count: 2 },
  ]);
});

test("different reasons are told apart, and a flood of them stays bounded", () => {
  for (let i = 0; i < 1000; i++) logRepeated({ ...FAULT, reason: `reason ${i}` }, {});
  expect(lines).toHaveLength(101);
});

test("a flood of one event hides no other fault and no recovery", () => {
  for (let i = 0; i < 1000; i++) logRepeated({ ...FAULT, event: "sign-in failed", reason: `ip ${i}` }, {});
  lines.length = 0;
  for (const reason of ["a", "b"]) logRepeated({ ...FAULT, reason }, { stack: reason });
  logRepeated(OUTAGE, {});
  endRepeated(OUTAGE.event);
  vi.advanceTimersByTime(10 * SECOND);
  expect(lines.map(({ event }) => event)).toEqual([FAULT.event, FAULT.event, OUTAGE.event, OUTAGE.over]);
  expect(lines.map(({ stack }) => stack)).toEqual(["a", "b", undefined, undefined]);
});
