import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";

// A copy of the project on which nobody has installed anything.
const FILES = [
  "scripts/run.mjs",
  "server/start.mjs",
  "scripts/demo-steps.mjs",
  "scripts/setup-lock.mjs",
  "lib/process",
  "lib/generated/inputs.sha256",
  "prisma/schema.prisma",
  "prisma/tables-generator.mjs",
  "package.json",
];
const { scripts, version } = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Record<string, string>;
  version: string;
};
const COMMANDS = Object.keys(scripts).filter((name) => scripts[name] === `node scripts/run.mjs ${name}`);
let dir: string;

beforeEach(() => {
  dir = tempFolder();
  for (const file of [...FILES, "package-lock.json"]) {
    mkdirSync(join(dir, dirname(file)), { recursive: true });
    cpSync(file, join(dir, file), { recursive: true });
  }
});

/** A command in the copy, with an npm that only says what it was asked for. */
function run(args: string[], variables: Record<string, string> = {}) {
  const npm = join(dir, "npm.js");
  writeFileSync(npm, "console.log(process.argv.slice(2).join(' ')); process.exit(3);");
  const words = args[0] === "start" ? ["server/start.mjs", ...args.slice(1)] : ["scripts/run.mjs", ...args];
  return spawnSync(process.execPath, words, {
    cwd: dir,
    encoding: "utf8",
    env: { ...process.env, npm_execpath: npm, ...variables },
  });
}

test("npm start with packages that do not match says so and installs nothing", () => {
  const { status, stderr } = run(["start"]);
  expect(status).toBe(1);
  expect(JSON.parse(stderr).detail).toBe(
    'The installed packages do not match this version. Run "npm ci" and "npm run build" first.',
  );
  expect(existsSync(join(dir, "node_modules"))).toBe(false);
  expect(existsSync(join(dir, ".data"))).toBe(false);
});

test("npm ci --omit=dev brings what production runs, and prisma stays out", () => {
  cpSync(".npmrc", join(dir, ".npmrc"));
  const args = ["ci", "--omit=dev", "--dry-run", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  // Without the settings that an npm around the tests hands down.
  const env = { PATH: process.env.PATH, HOME: dir, NODE_ENV: "test" as const };
  const { stdout, status } = spawnSync("npm", args, { cwd: dir, encoding: "utf8", env });
  expect(status).toBe(0);
  const added = [...stdout.matchAll(/^add (\S+) /gm)].map(([, name]) => name);
  expect(added).toEqual(expect.arrayContaining(["next", "@prisma/client", "tsx"]));
  expect(added.filter((name) => ["prisma", "@prisma/dev", "playwright", "vitest"].includes(String(name)))).toEqual([]);
});

test("Node's warnings are lines of JSON in the log of npm start", () => {
  const warn = "process.on('exit', () => process.emit('warning', new DOMException('This is old.', 'Deprecation')))";
  const { stderr, stdout } = run(["start"], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warn)}`,
  });
  const lines = `${stdout}${stderr}`.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).message)).toContain("Deprecation: This is old.");
});

test.each(["test", "documents", "screenshots"])(
  "npm run %s brings its tools, also where NODE_ENV says production",
  (name) => {
    expect(run([name], { NODE_ENV: "production" }).stderr).toContain("ci --include=dev --ignore-scripts");
  },
);

test("npm run demo installs no tools unless the schema differs from the committed client's", () => {
  for (const NODE_ENV of ["production", "development"]) {
    expect(run(["demo"], { NODE_ENV }).stderr).toContain("ci --omit=dev --ignore-scripts");
  }
  writeFileSync(join(dir, "prisma/schema.prisma"), "// another");
  expect(run(["demo"]).stderr).toContain("ci --include=dev --ignore-scripts");
});

test.each([...COMMANDS, "start"])(
  "npm run %s -- --version prints version and commit and installs nothing",
  (command) => {
    const { status, stdout } = run([command, "--version"]);
    expect([status, stdout]).toEqual([0, `console-api ${version}, commit unknown\n`]);
  },
);

test("only commands of package.json can be named", () => {
  for (const name of ["app-process", "check", "../server/start", "constructor", ""]) {
    expect(run([name])).toMatchObject({
      status: 1,
      stderr: `There is no command "${name}". See "scripts" in package.json.\n`,
    });
  }
});

test("an unwritable folder for temporary files is one sentence, and nothing hangs", () => {
  const { status, stderr } = run(["demo"], { TMPDIR: join(dir, "nowhere") });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^The folder for temporary files cannot be written to: ENOENT.*Name another one in TMPDIR\.\n$/,
  );
});
