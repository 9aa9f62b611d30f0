import { afterEach, expect, test, vi } from "vitest";
import { conclude, countEndToEndTests, countUnitTests, sumUpSkipped } from "./test-reports";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const skippedFor = (description?: string) => ({
  status: "skipped",
  annotations: description === undefined ? [] : [{ type: "skip", description }],
});
const passed = { status: "expected", annotations: [] };

test("skipped tests are summed up by what they lack, one line a program with its package, and none is lost", () => {
  const { skipped, ...counts } = countEndToEndTests({
    stats: { expected: 1, unexpected: 2, flaky: 1 },
    suites: [
      {
        specs: [{ tests: [passed, skippedFor("no haproxy (apt install haproxy)")] }],
        suites: [
          { specs: [{ tests: [skippedFor("no haproxy (apt install haproxy); no curl (apt install curl)")] }] },
          { specs: [{ tests: [skippedFor(undefined)] }] },
        ],
      },
    ],
  });
  // A flaky test is a failed one.
  expect([counts, skipped.length]).toEqual([{ passed: 1, failed: 3 }, 3]);
  expect(sumUpSkipped(skipped)).toEqual([
    "2 skipped: no haproxy (apt install haproxy)",
    "1 skipped: no curl (apt install curl)",
    "1 skipped: for no stated reason",
  ]);
});

test("a unit test that is skipped says why, and a file that cannot be loaded is a failure", () => {
  const assertionResults = [
    { status: "passed" },
    { status: "failed" },
    { status: "pending", meta: { skipped: "no psql (apt install postgresql-client)" } },
    { status: "skipped" },
    { status: "todo", meta: {} },
  ];
  const report = { numPassedTests: 1, numFailedTests: 0, numFailedTestSuites: 1, testResults: [{ assertionResults }] };
  expect(countUnitTests(report)).toEqual({
    passed: 1,
    failed: 1,
    skipped: ["no psql (apt install postgresql-client)", "", ""],
  });
});

test("what is skipped is printed with its reason and is no failure; where REQUIRE_ALL is set it is one, and so is no test at all", () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => printed.push(line));
  vi.stubEnv("REQUIRE_ALL", "");
  const counted = [
    { passed: 3, failed: 0, skipped: [] },
    { passed: 1, failed: 0, skipped: ["no curl (apt install curl)"] },
  ];
  expect(conclude(counted)).toBe(0);
  expect(printed).toEqual(["\n4 passed, 0 failed, 1 skipped", "1 skipped: no curl (apt install curl)"]);
  expect(conclude([...counted, { passed: 0, failed: 1, skipped: [] }])).toBe(1);
  expect(() => conclude([])).toThrow("No test is named like that.");
  vi.stubEnv("REQUIRE_ALL", "1");
  expect(() => conclude(counted)).toThrow("Tests were skipped, and REQUIRE_ALL allows none.");
  expect(conclude([{ passed: 1, failed: 0, skipped: [] }])).toBe(0);
});
