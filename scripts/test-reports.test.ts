import { afterEach, expect, test, vi } from "vitest";
import { conclude, countEndToEndTests, countUnitTests, sumUpSkipped } from "./test-reports";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const skippedFor = (description?: string) => ({
  status: "skipped",
  annotations: description === undefined ? [] : [{ type: "skip", description }],
  results: [],
});
const ended = (status: string, ...messages: string[]) => ({
  status,
  annotations: [],
  results: messages.map((message) => (message ? { error: { message } } : {})),
});
const spec = (title: string, ...tests: ReturnType<typeof skippedFor | typeof ended>[]) => ({
  title,
  file: "api/a.spec.ts",
  line: 7,
  tests,
});

test("skipped tests are summed up by what they lack, one line a program with its package, and none is lost", () => {
  const { skipped, ...counts } = countEndToEndTests({
    errors: [{ message: "No worker could be started" }],
    suites: [
      {
        specs: [
          spec("a page", ended("expected", "")),
          spec(
            "two clicks",
            ended("unexpected", '\u001b[31mError: toEqual\u001b[39m\n\n- Array []\n+ Array [\n+   "a 500"', "Error"),
          ),
          spec("a slow page", ended("flaky", "Error: not yet", "")),
          spec("haproxy", skippedFor("no haproxy (apt install haproxy)")),
        ],
        suites: [
          { specs: [spec("both", skippedFor("no haproxy (apt install haproxy); no curl (apt install curl)"))] },
          { specs: [spec("nothing said", skippedFor(undefined))] },
        ],
      },
    ],
  });
  expect([counts, skipped.length]).toEqual([
    {
      passed: 2,
      failures: [
        'e2e/api/a.spec.ts:7 › two clicks: Error: toEqual - Array [] + Array [ +   "a 500"',
        "e2e › the run: No worker could be started",
      ],
      unsteady: ["e2e/api/a.spec.ts:7 › a slow page: Error: not yet"],
    },
    3,
  ]);
  expect(sumUpSkipped(skipped)).toEqual([
    "2 skipped: no haproxy (apt install haproxy)",
    "1 skipped: no curl (apt install curl)",
    "1 skipped: for no stated reason",
  ]);
});

test("a unit test that is skipped says why, and a file that cannot be loaded is a failure", () => {
  const test = (status: string, meta?: { skipped?: string }) => ({
    status,
    fullName: `it ${status}`,
    failureMessages: status === "failed" ? ["AssertionError: no\n  at line 3"] : null,
    meta,
  });
  const assertionResults = [
    test("passed"),
    test("failed"),
    test("pending", { skipped: "no psql (apt install postgresql-client)" }),
    test("skipped"),
    test("todo", {}),
  ];
  const file = (name: string, status: string) => ({
    name: `${process.cwd()}/lib/${name}`,
    status,
    message: "No such module",
  });
  const testResults = [
    { ...file("a.test.ts", "failed"), assertionResults },
    { ...file("b.test.ts", "failed"), assertionResults: [] },
  ];
  expect(countUnitTests({ testResults })).toEqual({
    passed: 1,
    failures: [
      "lib/a.test.ts › it failed: AssertionError: no at line 3",
      "lib/b.test.ts › cannot be loaded: No such module",
    ],
    unsteady: [],
    skipped: ["no psql (apt install postgresql-client)", "", ""],
  });
});

test("what is skipped is printed with its reason and is no failure; where CI is set it is one, and so is no test at all", () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => printed.push(line));
  vi.stubEnv("CI", "");
  const none = { passed: 0, failures: [], unsteady: [], skipped: [] };
  const counted = [
    { ...none, passed: 3, unsteady: ["a: b"] },
    { ...none, passed: 1, skipped: ["no curl (apt install curl)"] },
  ];
  expect(conclude(counted)).toBe(0);
  expect(printed.splice(0)).toEqual([
    "",
    "passed only when it ran once more: a: b",
    "1 skipped: no curl (apt install curl)",
    "4 passed, 0 failed, 1 skipped",
  ]);
  expect(conclude([...counted, { ...none, failures: ["c: d"] }])).toBe(1);
  expect(printed[1]).toBe("failed: c: d");
  expect(() => conclude([])).toThrow("No test is named like that.");
  vi.stubEnv("CI", "true");
  expect(conclude(counted)).toBe(1);
  expect(conclude([{ ...none, passed: 1 }])).toBe(0);
});
