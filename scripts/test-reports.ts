import { existsSync, readFileSync } from "node:fs";
import { PlainError } from "@/lib/failures";

/** The folder of all reports. */
export const REPORTS = "test-results";

/** `skipped`: why each test was, one entry a test. */
export type Counts = { passed: number; failed: number; skipped: string[] };

/** The part of Vitest's report that counts. */
export type UnitReport = {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: { assertionResults: { status: string; meta?: { skipped?: string } }[] }[];
};

export function countUnitTests(report: UnitReport): Counts {
  const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = report;
  const skipped = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ meta }) => meta?.skipped ?? "");
  // A file that cannot even be loaded has failed suites and no failed tests.
  return { passed: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites), skipped };
}

type Suite = {
  specs?: { tests: { status: string; annotations: { type: string; description?: string }[] }[] }[];
  suites?: Suite[];
};

/** The part of Playwright's report that counts. */
export type EndToEndReport = {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: Suite[];
};

export function countEndToEndTests({ stats, suites }: EndToEndReport): Counts {
  const skipped = testsOf(suites)
    .filter(({ status }) => status === "skipped")
    .map(({ annotations }) => annotations.find(({ type }) => type === "skip")?.description ?? "");
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped };
}

function testsOf(suites: Suite[]): NonNullable<Suite["specs"]>[number]["tests"] {
  return suites.flatMap(({ specs = [], suites = [] }) => [...specs.flatMap(({ tests }) => tests), ...testsOf(suites)]);
}

/** One line a reason, the most frequent first. A test that lacks two programs counts for both: "12 skipped: no haproxy …". */
export function sumUpSkipped(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons.flatMap((text) => (text || "for no stated reason").split("; "))) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} skipped: ${reason}`);
}

/** @throws PlainError when the runner ended without it. */
export function readReport<Report>(file: string): Report {
  if (!existsSync(file)) throw new PlainError(`The test runner ended without its report ${file}.`);
  return JSON.parse(readFileSync(file, "utf8")) as Report;
}

/**
 * Prints what came of all runs, and answers the exit code.
 * @throws PlainError when no test ran, and with REQUIRE_ALL=1 when one was skipped.
 */
export function conclude(counted: readonly Counts[]): number {
  const [passed, failed] = (["passed", "failed"] as const).map((key) =>
    counted.reduce((sum, one) => sum + one[key], 0),
  );
  const skipped = counted.flatMap((one) => one.skipped);
  if (passed === 0 && failed === 0 && skipped.length === 0) throw new PlainError("No test is named like that.");
  console.log(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  for (const line of sumUpSkipped(skipped)) console.log(line);
  if (process.env.REQUIRE_ALL === "1" && skipped.length > 0) {
    throw new PlainError("Tests were skipped, and REQUIRE_ALL allows none.");
  }
  return failed === 0 ? 0 : 1;
}
