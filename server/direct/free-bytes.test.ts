import { constants, PerformanceObserver } from "node:perf_hooks";
import { expect, test, vi } from "vitest";
import { freeBytes } from "./free-bytes.mjs";

const PIECE = 65_536;

test("freed bytes are gone at once, and bytes that share their memory with others stay", () => {
  const own = Buffer.allocUnsafeSlow(PIECE);
  const shared = Buffer.from(new ArrayBuffer(2 * PIECE), 0, PIECE);
  freeBytes(own);
  freeBytes(shared);
  expect([own.length, own.buffer.byteLength, shared.length]).toEqual([0, 0, PIECE]);
});

test("as many bodies as a flood has, over hours, are none: nothing waits to collect", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "performance"] });
  try {
    for (let minute = 0; minute < 10; minute++) {
      for (let piece = 0; piece < 1_000; piece++) freeBytes(Buffer.allocUnsafeSlow(PIECE));
      vi.advanceTimersByTime(61_000);
    }
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("after a flood of bodies the heap is collected three times once it is calm", async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { flags: number } }[]) {
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) collections++;
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    // The flood of a few hundred bodies of a megabyte.
    for (let piece = 0; piece < 5_000; piece++) freeBytes(Buffer.allocUnsafeSlow(PIECE));
    vi.advanceTimersByTime(61_000);
  } finally {
    vi.useRealTimers();
  }
  await expect.poll(() => collections).toBe(3);
  observer.disconnect();
});
