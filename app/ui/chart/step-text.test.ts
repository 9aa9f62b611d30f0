import { expect, test } from "vitest";
import { MINUTE, SECOND } from "@/lib/format/time";
import { middleOfStep } from "@/lib/format/time-range";
import { stepText } from "./step-text";

const begin = Date.parse("2026-11-22T14:00:00Z");

test("a point tells its whole step, however little of it is over", () => {
  for (const over of [1, 2.5, 9, 10, 60]) {
    const to = begin + over * MINUTE;
    const at = middleOfStep(begin, 10 * MINUTE, to);
    for (const packed of [at - 3 * SECOND, at, at + 3 * SECOND])
      expect(stepText(packed, 10 * MINUTE, "UTC")).toBe("22 Nov, 14:00 to 14:10");
  }
});

test("a point of now tells its step, one of a minute that minute", () => {
  expect(stepText(begin + 9 * MINUTE, 10 * MINUTE, "UTC")).toBe("22 Nov, 14:00 to 14:10");
  expect(stepText(begin + MINUTE / 2, MINUTE, "UTC")).toBe("22 Nov, 14:00");
});
