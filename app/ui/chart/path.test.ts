import { expect, test } from "vitest";
import { shortened } from "./path";

/** The points of a path of M, L, l and Z, and where it is closed, as a browser draws it. */
function drawn(path: string): (readonly [number, number] | "Z")[] {
  let at: readonly [number, number] = [0, 0];
  return [...path.matchAll(/([MLlZ])(?:(-?\d+),(-?\d+))?/g)].map(([, command, x, y]) => {
    if (command === "Z") return "Z";
    at = command === "l" ? [at[0] + Number(x), at[1] + Number(y)] : [Number(x), Number(y)];
    return at;
  });
}

test("a shortened path is drawn through the same points, with its gaps and closed where it was", () => {
  for (const path of [
    "M3,40L9,-2L15,7M30,1L31,0",
    "M0,240L6,120L12,0L12,10L6,130L0,250ZM500,20L506,21L506,30L500,31Z",
    "M5,5Z",
  ]) {
    expect(drawn(shortened(path))).toEqual(drawn(path));
  }
  expect(shortened("M3,40L9,-2L15,7M30,1L31,0")).toBe("M3,40l6,-42l6,9M30,1l1,-1");
  expect(shortened(null)).toBe("");
});
