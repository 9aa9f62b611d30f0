import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

// What the reports of Vitest and Playwright say together.

/** The folder of all reports. */
export const RESULTS = "test-results";

/** `failed` and `again`: the place and title of each test, and how it failed. `skipped`: why each was, one entry a test. */
export type Results = {
  passed: number;
  failed: string[];
  /** Failed, and passed when it ran once more. They are among `passed`. */
  again: string[];
  skipped: string[];
};

export const NOTHING: Results = { passed: 0, failed: [], again: [], skipped: [] };

/** What counts as one failed test. */
export const failure = (what: string): Results => ({ ...NOTHING, failed: [what] });

/** The first lines of what a runner says, without colours: enough to see what was expected. */
function reasonOf(message: string | undefined): string {
  const lines = stripVTControlCharacters(message ?? "").split("\n");
  const said = lines.map((line) => line.trim()).filter(Boolean);
  return said.length === 0 ? "" : `\n    ${said.slice(0, 8).join("\n    ").slice(0, 800)}`;
}

type VitestTest = {
  status: string;
  fullName: string;
  failureMessages?: string[];
  meta?: { skipped?: string } | undefined;
};
type VitestReport = {
  testResults: { name: string; status: string; message?: string; assertionResults: VitestTest[] }[];
};

export function ofVitest({ testResults }: VitestReport): Results {
  const tests = testResults.flatMap(({ name, status, message = "", assertionResults }) => {
    const tests = assertionResults.map((test) => ({ ...test, place: `${relative("", name)} › ${test.fullName}` }));
    if (status !== "failed" || tests.some((test) => test.status === "failed")) return tests;
    // A file that cannot even be loaded has failed and has no failed tests.
    const place = `${relative("", name)} › cannot be loaded`;
    return [...tests, { status, fullName: "", place, failureMessages: [message] }];
  });
  const rest = tests.filter(({ status }) => status !== "passed" && status !== "failed");
  return {
    passed: tests.filter(({ status }) => status === "passed").length,
    failed: tests
      .filter(({ status }) => status === "failed")
      .map(({ place, failureMessages }) => place + reasonOf(failureMessages?.[0])),
    again: [],
    skipped: rest.map(({ meta }) => meta?.skipped ?? ""),
  };
}

type PlaywrightTest = {
  status: string;
  annotations: { type: string; description?: string }[];
  results: { error?: { message?: string } }[];
};
type Suite = { specs?: { title: string; file: string; line: number; tests: PlaywrightTest[] }[]; suites?: Suite[] };
type PlaywrightReport = { suites: Suite[]; errors: { message?: string }[] };

export function ofPlaywright({ suites, errors }: PlaywrightReport): Results {
  const tests = testsOf(suites);
  const named = (wanted: string) =>
    tests
      .filter(({ status }) => status === wanted)
      .map(({ place, results }) => place + reasonOf(results.find(({ error }) => error)?.error?.message));
  const again = named("flaky");
  return {
    passed: named("expected").length + again.length,
    failed: [...named("unexpected"), ...errors.map(({ message }) => `Playwright › ${message?.split("\n")[0]}`)],
    again,
    skipped: tests
      .filter(({ status }) => status === "skipped")
      .map(({ annotations }) => annotations.find(({ type }) => type === "skip")?.description ?? ""),
  };
}

function testsOf(suites: readonly Suite[]): (PlaywrightTest & { place: string })[] {
  return suites.flatMap(({ specs = [], suites = [] }) => [
    ...specs.flatMap(({ title, file, line, tests }) =>
      tests.map((test) => ({ ...test, place: `e2e/${file}:${line} › ${title}` })),
    ),
    ...testsOf(suites),
  ]);
}

/** What a runner left in `file`. One that left nothing has failed as a whole. */
export function readResults<Report>(file: string, read: (report: Report) => Results): Results {
  return existsSync(file) ? read(JSON.parse(readFileSync(file, "utf8"))) : failure(`${file} was not written`);
}

/** One line a reason, the most frequent first. A test that lacks two programs counts for both. */
function sumUpSkipped(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons.flatMap((text) => (text || "for no stated reason").split("; "))) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} skipped: ${reason}`);
}

/** Prints what came of all levels, the sum last, and answers the exit code. Where CI is set, a skipped test is no success. */
export function conclude(results: readonly Results[]): number {
  const passed = results.reduce((sum, one) => sum + one.passed, 0);
  const failed = results.flatMap((one) => one.failed);
  const skipped = results.flatMap((one) => one.skipped);
  // Directly above the sum, which is the last line: people read the end of a long log first.
  console.log("");
  for (const place of failed) console.log(`failed: ${place}`);
  for (const place of results.flatMap((one) => one.again)) console.log(`passed only when it ran once more: ${place}`);
  for (const line of sumUpSkipped(skipped)) console.log(line);
  console.log(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped`);
  return failed.length > 0 || passed === 0 || (process.env.CI && skipped.length > 0) ? 1 : 0;
}
