import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { estimateMetrics, isWindow } from "./metrics-query";

test("the estimate of an answer follows the requested time, not the range's name", () => {
  const estimate = (text: string) => estimateMetrics(new URLSearchParams(text));
  expect(estimate("range=7d")).toBeGreaterThan(estimate("range=24h"));
  expect(estimate(`range=7d&since=${Date.now() - 2 * HOUR}`)).toBe(estimate("range=24h"));
  expect(estimate(`range=7d&since=${Date.now() - 10 * MINUTE}`)).toBe(0);
  expect(estimate(`range=7d&since=${Date.now() + DAY}`)).toBe(0);
  const wrong = new URLSearchParams("range=7d&since=x");
  expect([isWindow(wrong), estimateMetrics(wrong)]).toEqual([false, 0]);
});
