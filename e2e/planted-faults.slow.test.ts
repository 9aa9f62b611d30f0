// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the faults are texts of source files.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUNDLE } from "@/e2e/support/changed-bundle";
import { projectFiles } from "@/e2e/support/project-files";
import { buildIfChanged, DIST_DIRS } from "@/scripts/build";

// The tests find faults: each of these is planted in a copy of the project, and the tests that stand beside it are red.

/** `tests`: the files of which one must find it. Faults of the server are planted in its bundle: they need no build. */
type Fault = { what: string; file: string; from: string; to: string; tests: "api" | "site"; files: string };

const SERVER = join(DIST_DIRS.test, BUNDLE);

const FAULTS: readonly Fault[] = [
  {
    what: "a limit of 121",
    ...{ file: "lib/rate-limit/policy.ts", from: 'name: "api", limit: 120,', to: 'name: "api", limit: 121,' },
    ...{ tests: "api", files: "e2e/api/rate-limit" },
  },
  {
    what: "a disabled account whose tokens work",
    ...{ file: "lib/tokens/authentication.ts", from: " && row.disabledAt === null;", to: ";" },
    ...{ tests: "api", files: "e2e/api/authentication" },
  },
  {
    what: "a closed ticket that opens a service",
    ...{ file: "lib/game-services/game-services.ts", from: " and ${k.status} = 'open')))", to: ")))" },
    ...{ tests: "api", files: "e2e/api/visibility" },
  },
  {
    what: "a token that lives a minute too long",
    ...{
      file: "lib/tokens/state.ts",
      from: "token.expiresAt <= now",
      to: "Number(token.expiresAt) <= Number(now) - 60_000",
    },
    ...{ tests: "api", files: "e2e/api/authentication" },
  },
  {
    what: "networks that are ignored",
    ...{ file: "lib/tokens/state.ts", from: "!isInside(networks, from.ip)", to: "false" },
    ...{ tests: "api", files: "e2e/api/token-networks" },
  },
  {
    what: "24h that is 23h",
    ...{ file: "lib/game-services/metrics-query.ts", from: '"24h": DAY,', to: '"24h": 23 * HOUR,' },
    ...{ tests: "api", files: "e2e/api/service-endpoints" },
  },
  {
    what: "a server that any account reads",
    file: "lib/servers/servers.ts",
    from: "select(detailed, `from ${s} where ${s.id} = ${id} and ${s.accountId} = ${accountId}`)",
    to: "select(detailed, `from ${s} where ${s.id} = ${id} and ${accountId}::int is not null`)",
    ...{ tests: "api", files: "e2e/api/visibility" },
  },
  {
    what: "an answer without its fixed headers",
    ...{ file: SERVER, from: "fixedHeadersOf(route.path)", to: "fixedHeadersOf(route.path).slice(0, 1)" },
    ...{ tests: "site", files: "e2e/site/http" },
  },
  {
    what: "a HEAD with a body",
    file: SERVER,
    from: "response.end(isWithBody ? bytes : void 0);",
    to: "response.end(isWithBody || Reflect.set(response, '_hasBody', true) ? bytes : void 0);",
    ...{ tests: "site", files: "e2e/site/http" },
  },
  {
    what: "a route that the bundle does not list",
    ...{ file: SERVER, from: 'pattern: "/api/v1/servers",', to: 'pattern: "/api/v1/serverz",' },
    ...{ tests: "site", files: "e2e/site/http" },
  },
  {
    what: "a token in the log",
    file: SERVER,
    from: "const { headers, rawHeaders } = request;",
    to: "const { headers, rawHeaders } = request;\n  process.stdout.write(`${headers.authorization}\\n`);",
    ...{ tests: "site", files: "e2e/site/http" },
  },
];

let copy = "";

beforeAll(async () => {
  // Before the copy, which cannot build: its packages are a link.
  await buildIfChanged(DIST_DIRS.test);
  copy = mkdtempSync(join(tmpdir(), "console-faults-"));
  for (const file of projectFiles()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(file, join(copy, file));
  }
  mkdirSync(join(copy, DIST_DIRS.test));
  const linked = ["node_modules", ...readdirSync(DIST_DIRS.test).map((name) => join(DIST_DIRS.test, name))];
  for (const name of linked) if (name !== SERVER) symlinkSync(join(process.cwd(), name), join(copy, name));
  cpSync(SERVER, join(copy, SERVER));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test.each(FAULTS)("$what is found", ({ file, from, to, tests, files }) => {
  const text = readFileSync(file, "utf8");
  // Where it no longer fits, the fault has to be planted anew.
  expect(text.split(from), `${from} in ${file}`).toHaveLength(2);
  writeFileSync(join(copy, file), text.split(from).join(to));
  try {
    expect(failuresOf(tests, files)).not.toEqual([]);
  } finally {
    writeFileSync(join(copy, file), text);
  }
});

/** The titles of the tests that fail in the copy. @throws when it could not run them. */
function failuresOf(project: string, files: string): string[] {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const options = [`--project=${project}`, "--bail=1", "--reporter=json", `--outputFile=${report}`];
  const { stdout, stderr } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", files, ...options], {
    cwd: copy,
    encoding: "utf8",
    // On the server of this run, where it makes a database of its own.
    env: { NODE_ENV: "test", PATH: process.env.PATH, TEST_DATABASE_URL: process.env.E2E_POSTGRES_URL || "embedded" },
  });
  type Report = { testResults: { assertionResults: { status: string; fullName: string }[] }[] };
  let read: Report;
  try {
    read = JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw new Error(stdout + stderr);
  }
  const tested = read.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tested.length === 0) throw new Error(stdout + stderr);
  return tested.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
}
