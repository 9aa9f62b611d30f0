import { afterEach, expect, test, vi } from "vitest";
import { conclude, NOTHING, ofPlaywright, ofVitest, readResults } from "./test-results";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("failed and flaky tests and unloadable files are named, and skipped ones counted", () => {
  const ended = (status: string, description?: string) => ({
    status,
    annotations: description ? [{ type: "skip", description }] : [],
    results: [{ error: { message: "\u001b[31mError: no\u001b[39m\n\n  Expected: 1" } }],
  });
  const tests = [ended("expected"), ended("unexpected"), ended("flaky"), ended("skipped", "no curl; no haproxy")];
  const specs = [{ title: "two clicks", file: "api/a.spec.ts", line: 7, tests }];
  const place = "e2e/api/a.spec.ts:7 › two clicks\n    Error: no\n    Expected: 1";
  expect(ofPlaywright({ errors: [{ message: "No worker" }], suites: [{ suites: [{ specs }] }] })).toEqual({
    passed: 2,
    failed: [place, "Playwright › No worker"],
    again: [place],
    skipped: ["no curl; no haproxy"],
  });

  const test = (status: string, skipped = "") => ({ status, fullName: `it ${status}`, meta: { skipped } });
  const file = (name: string, ...assertionResults: ReturnType<typeof test>[]) => ({
    ...{ name: `${process.cwd()}/lib/${name}`, status: "failed", message: "No such module", assertionResults },
  });
  const testResults = [
    file("a.test.ts", test("passed"), test("failed"), test("pending", "no psql"), test("todo")),
    file("b.test.ts"),
  ];
  expect(ofVitest({ testResults })).toEqual({
    passed: 1,
    failed: ["lib/a.test.ts › it failed", "lib/b.test.ts › cannot be loaded\n    No such module"],
    again: [],
    skipped: ["no psql", ""],
  });
});

test("a runner that ended without its report has failed", () => {
  const file = "test-results/nowhere.json";
  expect(readResults(file, ofVitest).failed).toEqual([`${file} was not written`]);
});

test("skips are printed with reasons, and in CI they and empty runs fail", () => {
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => printed.push(line));
  vi.stubEnv("CI", "");
  const counted = [
    { ...NOTHING, passed: 3, again: ["a: b"] },
    { ...NOTHING, passed: 1, skipped: ["no curl; no haproxy", ""] },
  ];
  expect(conclude(counted)).toBe(0);
  expect(printed.splice(0)).toEqual([
    "",
    "passed only when it ran once more: a: b",
    "1 skipped: no curl",
    "1 skipped: no haproxy",
    "1 skipped: for no stated reason",
    "4 passed, 0 failed, 2 skipped",
  ]);
  expect(conclude([...counted, { ...NOTHING, failed: ["c: d"] }])).toBe(1);
  expect(printed[1]).toBe("failed: c: d");
  expect(conclude([NOTHING])).toBe(1);
  vi.stubEnv("CI", "true");
  expect(conclude(counted)).toBe(1);
  expect(conclude([{ ...NOTHING, passed: 1 }])).toBe(0);
});
