import { expect, test } from "vitest";
import { addMetricSource, collectMetrics, type Family, mergeFamilies, writeFamilies } from "./metrics.mjs";

const family = (merge: "sum" | "max", samples: Family["samples"]): Family => ({
  name: `test_${merge}`,
  help: "Of a test.",
  type: "gauge",
  merge,
  samples,
});

test("what workers report is added up, or the greatest of it counts, label by label", () => {
  const merged = mergeFamilies([
    [
      family("sum", [
        [{ kind: "a" }, 1],
        [{ kind: "b" }, 2],
      ]),
      family("max", [[{}, 7]]),
    ],
    [family("sum", [[{ kind: "a" }, 10]]), family("max", [[{}, 3]])],
  ]);
  expect(writeFamilies(merged)).toBe(
    '# HELP test_sum Of a test.\n# TYPE test_sum gauge\ntest_sum{kind="a"} 11\ntest_sum{kind="b"} 2\n' +
      "# HELP test_max Of a test.\n# TYPE test_max gauge\ntest_max 7\n",
  );
});

test("a source that fails is left out, and so is a family without samples", async () => {
  addMetricSource("fails", () => Promise.reject(new Error("no")));
  addMetricSource("works", () => [family("sum", [[{}, 1]]), family("max", [])]);
  expect(writeFamilies(await collectMetrics())).toBe("# HELP test_sum Of a test.\n# TYPE test_sum gauge\ntest_sum 1\n");
});
