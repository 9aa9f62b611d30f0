import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/time";
import { timeTicks } from "./time-ticks";

const NOON = Date.UTC(2026, 10, 20, 12);

test("ticks are round on the reader's clock, within the axis, and seven at most", () => {
  for (const reach of [HOUR, DAY, 7 * DAY, 30 * DAY]) {
    for (const offset of [0, 5.75 * HOUR, -9.5 * HOUR]) {
      const [from, to] = [NOON - reach + MINUTE, NOON + MINUTE];
      const { ticks, areDays } = timeTicks(from, to, offset);
      expect(ticks.length).toBeGreaterThanOrEqual(4);
      expect(ticks.length).toBeLessThanOrEqual(8);
      expect(areDays).toBe(reach > DAY);
      for (const { at, share } of ticks) {
        expect((at + offset) % (areDays ? DAY : 5 * MINUTE)).toBe(0);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(from + share * reach).toBeCloseTo(at, 3);
      }
    }
  }
});
