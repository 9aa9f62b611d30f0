import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { DAY, HOUR } from "@/lib/format/time";
import { TimeAxis } from "./time-axis";
import { timeTicks } from "./time-ticks";

const labels = (from: number, to: number) =>
  [
    ...renderToStaticMarkup(createElement(TimeAxis, { ticks: timeTicks(from, to, "UTC") })).matchAll(
      />([^<>]+)<\/text>/g,
    ),
  ].map(([, label]) => label);

test("the date at the end of an axis is left out where the one before leaves no room for it", () => {
  const midnight = Date.UTC(2026, 10, 23);
  expect(labels(midnight - 30 * DAY + HOUR, midnight + HOUR)).toEqual(["29 Oct", "3 Nov", "8 Nov", "13 Nov", "18 Nov"]);
  expect(labels(midnight - 27 * DAY, midnight + 3 * DAY).at(-1)).toBe("23 Nov");
});
