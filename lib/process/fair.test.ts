import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SECOND } from "@/lib/format/time";
import { BusyError, EVERYBODY, enter, enterAtOnce, fair, fairCounts, type Kind } from "./fair";
import { LONGEST_WAIT } from "./in-time";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let askers = 1000;
const newAsker = () => askers++;

/** Takes places until none is free at once, with somebody else there. */
function fill(kind: Kind, asker: number): (() => void)[] {
  const places: (() => void)[] = [];
  for (;;) {
    enterAtOnce("request", newAsker())?.();
    const leave = enterAtOnce(kind, asker);
    if (!leave) return places;
    places.push(leave);
  }
}

test("an account runs four requests at once, and more delay only that account", async () => {
  const [busy, quiet] = [newAsker(), newAsker()];
  const places = fill("request", busy);
  expect(places).toHaveLength(4);
  const entered: number[] = [];
  for (const n of [1, 2, 3]) void enter("request", busy).then(() => entered.push(n));
  expect(enterAtOnce("request", quiet)).not.toBeNull();
  expect(fairCounts().request.waiting).toBe(3);
  places[0]?.();
  places[1]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(entered).toEqual([1, 2]);
  expect(fairCounts().request.waiting).toBe(1);
});

test("leaving a place twice gives back one", () => {
  const asker = newAsker();
  const [leave] = fill("request", asker);
  leave?.();
  leave?.();
  expect(fill("request", asker)).toHaveLength(1);
});

test("an asker alone for a second gets twice the places, everybody together never", async () => {
  const alone = newAsker();
  enterAtOnce("request", alone)?.();
  await vi.advanceTimersByTimeAsync(SECOND + 1);
  const at = (kind: Kind, asker: number | string) => {
    let count = 0;
    while (enterAtOnce(kind, asker)) count++;
    return count;
  };
  expect(at("request", alone)).toBe(8);
  expect(at("making", EVERYBODY)).toBe(3);
  expect(at("strangerPage", EVERYBODY)).toBe(2);
});

test("a request that waits too long is refused with a time to retry", async () => {
  const asker = newAsker();
  fill("request", asker);
  const waiting = expect(enter("request", asker)).rejects.toMatchObject({ retrySeconds: LONGEST_WAIT / SECOND });
  await vi.advanceTimersByTimeAsync(LONGEST_WAIT);
  await waiting;
  expect(fairCounts().request.refused).toBe(1);
});

test("a full line refuses after a second, not at once", async () => {
  const asker = newAsker();
  fill("page", asker);
  for (let n = 0; n < 20; n++) void enter("page", asker).catch(() => {});
  let refused: unknown;
  void enter("page", asker).catch((error) => (refused = error));
  await vi.advanceTimersByTimeAsync(SECOND - 1);
  expect(refused).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(refused).toBeInstanceOf(BusyError);
});

test("a client that leaves gives its turn to the next", async () => {
  const asker = newAsker();
  const [leave] = fill("request", asker);
  const gone = new AbortController();
  const left = expect(enter("request", asker, gone.signal)).rejects.toThrow(BusyError);
  const next = enter("request", asker);
  gone.abort();
  await left;
  leave?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(await next).toBeTypeOf("function");
  await expect(enter("request", asker, AbortSignal.abort())).rejects.toThrow(BusyError);
});

test("after a long answer its asker rests as long, up to a second", async () => {
  const asker = newAsker();
  for (const [worked, rests] of [
    [2, 0],
    [300, 300],
    [5000, SECOND],
  ] as const) {
    const [leave] = fill("heavy", asker);
    await vi.advanceTimersByTimeAsync(worked);
    enterAtOnce("request", newAsker())?.();
    leave?.();
    if (rests > 0) {
      await vi.advanceTimersByTimeAsync(rests - 1);
      expect(fill("heavy", asker)).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(1);
    }
    const again = fill("heavy", asker);
    expect(again, `after ${worked} ms`).toHaveLength(1);
    // Nothing was done in it.
    again[0]?.();
  }
});

test("a task gives its place back when it fails", async () => {
  const asker = newAsker();
  for (let n = 0; n < 10; n++)
    await expect(fair("page", asker, () => Promise.reject(new Error("no")))).rejects.toThrow();
  expect(fill("page", asker)).toHaveLength(1);
});
