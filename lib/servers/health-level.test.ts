import { expect, test } from "vitest";
import { levelOf } from "./health-level";

test.each([
  [1000, "healthy"],
  [800, "healthy"],
  [799, "strained"],
  [500, "strained"],
  [499, "critical"],
  [0, "critical"],
])("a score of %d is %s", (score, level) => expect(levelOf(score)).toBe(level));
