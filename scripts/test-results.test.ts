import { afterEach, expect, test, vi } from "vitest";
import { conclude, NOTHING, ofPlaywright, ofVitest, readResults, sumUpSkipped } from "./test-results";

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
  results: messages.map((message) => ({ error: { message } })),
});
const spec = (title: string, ...tests: ReturnType<typeof skippedFor | typeof ended>[]) => ({
  title,
  file: "api/a.spec.ts",
  line: 7,
  tests,
});

test("skipped tests are grouped by what they lack, and no failure is lost", () => {
  const { skipped, ...counts } = ofPlaywright({
    errors: [{ message: "No worker could be started" }],
    suites: [
      {
        specs: [
          spec("a page", ended("expected")),
          spec("two clicks", ended("unexpected", "\u001b[31mError: no\u001b[39m\n\n  Expected: 1", "Error: second")),
          spec("a slow page", ended("flaky")),
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
      failed: [
        "e2e/api/a.spec.ts:7 › two clicks\n    Error: no\n    Expected: 1",
        "Playwright › No worker could be started",
      ],
      again: ["e2e/api/a.spec.ts:7 › a slow page"],
    },
    3,
  ]);
  expect(sumUpSkipped(skipped)).toEqual([
    "2 skipped: no haproxy (apt install haproxy)",
    "1 skipped: no curl (apt install curl)",
    "1 skipped: for no stated reason",
  ]);
});

test("a skipped unit test says why, and an unloadable file is a failure", () => {
  const test = (status: string, meta?: { skipped?: string }) => ({
    status,
    fullName: `it ${status}`,
    failureMessages: status === "failed" ? ["AssertionError: no"] : [],
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
  });
  const testResults = [
    { ...file("a.test.ts", "failed"), assertionResults },
    { ...file("b.test.ts", "failed"), message: "No such module", assertionResults: [] },
  ];
  expect(ofVitest({ testResults })).toEqual({
    passed: 1,
    failed: [
      "lib/a.test.ts › it failed\n    AssertionError: no",
      "lib/b.test.ts › cannot be loaded\n    No such module",
    ],
    again: [],
    skipped: ["no psql (apt install postgresql-client)", "", ""],
  });
});

test("a runner that ended without its report has failed", () => {
  expect(readResults("test-results/nowhere.json", ofVitest).failed).toEqual([
    "test-results/nowhere.json was not written",
  ]);
});

test("skips are printed with reasons, and in CI they and empty runs fail", () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => printed.push(line));
  vi.stubEnv("CI", "");
  const counted = [
    { ...NOTHING, passed: 3, again: ["a: b"] },
    { ...NOTHING, passed: 1, skipped: ["no curl (apt install curl)"] },
  ];
  expect(conclude(counted)).toBe(0);
  expect(printed.splice(0)).toEqual([
    "",
    "passed only when it ran once more: a: b",
    "1 skipped: no curl (apt install curl)",
    "4 passed, 0 failed, 1 skipped",
  ]);
  expect(conclude([...counted, { ...NOTHING, failed: ["c: d"] }])).toBe(1);
  expect(printed[1]).toBe("failed: c: d");
  expect(conclude([NOTHING])).toBe(1);
  vi.stubEnv("CI", "true");
  expect(conclude(counted)).toBe(1);
  expect(conclude([{ ...NOTHING, passed: 1 }])).toBe(0);
});
