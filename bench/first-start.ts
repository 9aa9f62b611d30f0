import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PlainError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import { VARIABLE_NAMES } from "@/lib/process/env-variables";
import { waitForDemo } from "@/scripts/demo-output";

/** What the first start may take, as a multiple of the yardstick; and the second start, in milliseconds. */
const FIRST_GOAL = 1.6;
const SECOND_GOAL = 6 * SECOND;

/**
 * How long a newcomer waits for `npm run demo` on a fresh clone and at the second start. The yardstick, measured in the
 * same minutes: installing next, react and react-dom alone, and `next build` of one page. npm's cache is warm for both.
 */
export async function firstStart(): Promise<(readonly string[])[]> {
  const dir = mkdtempSync(join(tmpdir(), "console-first-start-"));
  try {
    const clone = join(dir, "clone");
    copyCheckout(clone);
    const page = join(dir, "page");
    writePage(page);
    // Fills npm's cache.
    for (const folder of [clone, page]) {
      timed(folder, ["npm", "install", "--omit=dev", "--no-save", ...QUIET]);
      rmSync(join(folder, "node_modules"), { recursive: true });
    }
    const installed = timed(page, ["npm", "install", ...QUIET]);
    const built = timed(page, [process.execPath, "node_modules/next/dist/bin/next", "build"]);
    const yardstick = installed + built;
    const first = await timeDemo(clone);
    const again = await timeDemo(clone);
    const seconds = (ms: number) => `${(ms / SECOND).toFixed(1)} s`;
    const judged = (ms: number, isMet: boolean, goal: string) => [
      seconds(ms),
      (ms / yardstick).toFixed(2),
      goal,
      isMet ? "met" : "missed",
    ];
    return [
      ["", "time", "of the yardstick's", "goal", ""],
      ["yardstick: install", seconds(installed), "", "", ""],
      ["yardstick: build of one page", seconds(built), "", "", ""],
      ["yardstick", seconds(yardstick), "1.00", "", ""],
      ["npm run demo, first start", ...judged(first, first <= FIRST_GOAL * yardstick, `at most ${FIRST_GOAL}`)],
      ["npm run demo, second start", ...judged(again, again < SECOND_GOAL, `under ${seconds(SECOND_GOAL)}`)],
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** The files that belong to the checkout, as they are. */
function copyCheckout(to: string): void {
  const files = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" }).stdout.split("\0").filter(Boolean);
  if (files.length === 0) throw new PlainError("The first start is measured from a git checkout.");
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(file, join(to, file));
  }
}

function writePage(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
  const { next, react, "react-dom": reactDom } = dependencies;
  mkdirSync(join(folder, "app"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { next, react, "react-dom": reactDom } }));
  writeFileSync(
    join(folder, "app/layout.js"),
    "export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
  );
  writeFileSync(join(folder, "app/page.js"), "export default function Page() { return <h1>Hello</h1>; }");
}

/** Runs a command and returns how long it took, in milliseconds. @throws PlainError with its output when it fails. */
function timed(cwd: string, [file = "", ...args]: string[]): number {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: "utf8", env: environment() });
  if (status !== 0) throw new PlainError(`${file} ${args.join(" ")} failed.\n${stdout}${stderr}`);
  return performance.now() - start;
}

/** Milliseconds until the demo prints its address. Ends the demo. */
async function timeDemo(cwd: string): Promise<number> {
  const start = performance.now();
  const demo = spawn("npm", ["run", "demo"], {
    cwd,
    env: { ...environment(), PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = once(demo, "exit");
  const end = () => endGroup(demo, "SIGKILL");
  process.once("exit", end);
  await waitForDemo(demo);
  const ms = performance.now() - start;
  endGroup(demo, "SIGINT");
  await ended;
  process.off("exit", end);
  return ms;
}

/** Ends npm and all that it started, as Ctrl-C does. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** This process's variables without those of the console, as a newcomer has none. */
function environment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of [...VARIABLE_NAMES, "CONSOLE_DIST_DIR", "NODE_ENV"]) delete env[name];
  return env;
}
