import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { DAY, HOUR } from "@/lib/format/time";
import { TimeAxis } from "./time-axis";
import { timeTicks } from "./time-ticks";

function labels(from: number, to: number): string[] {
  const markup = renderToStaticMarkup(createElement(TimeAxis, { ticks: timeTicks(from, to, "UTC") }));
  return [...markup.matchAll(/>([^<>]+)<\/text>/g)].map(([, label = ""]) => label);
}

test("an axis omits its end date where the date before leaves no room", () => {
  const midnight = Date.UTC(2026, 10, 23);
  const days = labels(midnight - 6 * DAY + HOUR, midnight + HOUR);
  expect(days).toEqual(["18 Nov", "19 Nov", "20 Nov", "21 Nov", "22 Nov"]);
  expect(labels(midnight - 27 * DAY, midnight + 3 * DAY).at(-1)).toBe("22 Nov");
});
