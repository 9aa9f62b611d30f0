import { expect, test } from "vitest";
import { addMetricSource, collectMetrics, gauge, writeFamilies } from "./metrics.mjs";

test("a source that fails is left out, and so is a family without samples; a family is written with its help, type and labels", async () => {
  addMetricSource("fails", () => Promise.reject(new Error("no")));
  addMetricSource("works", () => [
    gauge("test_some", "Of a test.", [
      [{ kind: "a" }, 1],
      [{ kind: "b" }, 2],
    ]),
    gauge("test_one", "Of a test.", 7),
    gauge("test_none", "Of a test.", []),
  ]);
  expect(writeFamilies(await collectMetrics())).toBe(
    '# HELP test_some Of a test.\n# TYPE test_some gauge\ntest_some{kind="a"} 1\ntest_some{kind="b"} 2\n' +
      "# HELP test_one Of a test.\n# TYPE test_one gauge\ntest_one 7\n",
  );
});
