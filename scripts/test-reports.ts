import { existsSync, readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { PlainError } from "@/lib/failures";

/** The folder of all reports. */
export const REPORTS = "test-results";

/** `failures` and `unsteady`: the place, title and first error of each test. `skipped`: why each was, one entry a test. */
export type Counts = {
  passed: number;
  failures: string[];
  /** Failed, and passed when it ran once more. They are among `passed`. */
  unsteady: string[];
  skipped: string[];
};

export const NOTHING: Counts = { passed: 0, failures: [], unsteady: [], skipped: [] };

/** What counts as one failed test. */
export const failed = (failure: string): Counts => ({ ...NOTHING, failures: [failure] });

/** The part of Vitest's report that counts. */
type UnitReport = {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: {
      status: string;
      fullName: string;
      failureMessages: string[] | null;
      meta?: { skipped?: string } | undefined;
    }[];
  }[];
};

export function countUnitTests({ testResults }: UnitReport): Counts {
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })));
  const failed = tests.filter(({ status }) => status === "failed");
  // A file that cannot even be loaded has failed and has no failed tests.
  const unloaded = testResults.filter(({ name, status }) => {
    return status === "failed" && !failed.some(({ file }) => file === name);
  });
  return {
    passed: tests.filter(({ status }) => status === "passed").length,
    failures: [
      ...failed.map(({ file, fullName, failureMessages }) => nameFailure(file, fullName, failureMessages?.[0])),
      ...unloaded.map(({ name, message }) => nameFailure(name, "cannot be loaded", message)),
    ],
    unsteady: [],
    skipped: tests
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ meta }) => meta?.skipped ?? ""),
  };
}

type EndToEndTest = {
  status: string;
  annotations: { type: string; description?: string }[];
  results: { error?: { message?: string } }[];
};
type Suite = {
  specs?: { title: string; file: string; line: number; tests: EndToEndTest[] }[];
  suites?: Suite[];
};

/** The part of Playwright's report that counts. */
export type EndToEndReport = { suites: Suite[]; errors: { message?: string }[] };

export function countEndToEndTests({ suites, errors }: EndToEndReport): Counts {
  const tests = testsOf(suites);
  const named = (wanted: string) =>
    tests
      .filter(({ status }) => status === wanted)
      .map(({ place, title, results }) =>
        nameFailure(place, title, results.find(({ error }) => error)?.error?.message),
      );
  const unsteady = named("flaky");
  return {
    passed: tests.filter(({ status }) => status === "expected").length + unsteady.length,
    failures: [...named("unexpected"), ...errors.map(({ message }) => nameFailure("e2e", "the run", message))],
    unsteady,
    skipped: countSkipped(tests),
  };
}

const countSkipped = (tests: readonly EndToEndTest[]) =>
  tests
    .filter(({ status }) => status === "skipped")
    .map(({ annotations }) => annotations.find(({ type }) => type === "skip")?.description ?? "");

function testsOf(suites: Suite[]): (EndToEndTest & { title: string; place: string })[] {
  return suites.flatMap(({ specs = [], suites = [] }) => [
    ...specs.flatMap(({ title, file, line, tests }) =>
      tests.map((test) => ({ ...test, title, place: `e2e/${file}:${line}` })),
    ),
    ...testsOf(suites),
  ]);
}

/** The first lines of an error say what was expected of what, and how lists differ. */
function nameFailure(place: string, title: string, message = ""): string {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return `${place.replace(`${process.cwd()}/`, "")} › ${title}: ${lines.slice(0, 8).join(" ").slice(0, 400)}`;
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
 * Prints what came of all levels, the sum last, and answers the exit code. Where CI is set, a skipped test is no success.
 * @throws PlainError when no test ran.
 */
export function conclude(counted: readonly Counts[]): number {
  const passed = counted.reduce((sum, one) => sum + one.passed, 0);
  const failures = counted.flatMap((one) => one.failures);
  const unsteady = counted.flatMap((one) => one.unsteady);
  const skipped = counted.flatMap((one) => one.skipped);
  if (passed + failures.length + skipped.length === 0) throw new PlainError("No test is named like that.");
  // Directly above the sum, which is the last line: people read the end of a long log first.
  console.log("");
  for (const failure of failures) console.log(`failed: ${failure}`);
  for (const failure of unsteady) console.log(`passed only when it ran once more: ${failure}`);
  for (const line of sumUpSkipped(skipped)) console.log(line);
  console.log(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped`);
  return failures.length > 0 || (process.env.CI && skipped.length > 0) ? 1 : 0;
}
