import { expect, test } from "vitest";
import { findGuarded } from "./guard";

test("every title that must stay is one of a test", () => {
  expect(findGuarded().size).toBeGreaterThan(100);
});
