import { expect, test } from "vitest";
import { listWithdrawn } from "./withdrawn-variables";

test("a withdrawn variable still set is named with its replacement, an empty one ignored", () => {
  expect(listWithdrawn({ WORKERS: "4", PORT: "3000" })).toEqual([
    "WORKERS is set, and nothing reads it any more: an instance is one process, so start several instances instead (docs/install.md).",
  ]);
  expect(listWithdrawn({ DATABASE_READ_URL: "postgresql://u:hunter2@replica/console" })).toEqual([
    "DATABASE_READ_URL is set, and nothing reads it any more: history and metrics are read where everything is.",
  ]);
  expect(listWithdrawn({ WORKERS: " " })).toEqual([]);
});
