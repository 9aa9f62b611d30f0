import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PlainError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import { VARIABLE_NAMES } from "@/lib/process/env-variables";
import { waitForDemo } from "@/scripts/demo-output";
import { interleave, median } from "./rounds";

/** What the first start may take, as a multiple of the yardstick; and the second start, in milliseconds. */
const FIRST_GOAL = 1.6;
const SECOND_GOAL = 6 * SECOND;

const ROUNDS = 5;

/**
 * How long a newcomer waits for `npm run demo` on a fresh clone, from the key to the first page, and at the second start.
 * The yardstick, by turns with it: `npm ci` and `next build` of an app of one page with the same next, react and typescript.
 * With npm's cache as it was left, and with an empty one each time. Medians of five; nothing is built before.
 */
export async function firstStart(): Promise<(readonly string[])[]> {
  const dir = mkdtempSync(join(tmpdir(), "console-first-start-"));
  try {
    const original = { clone: join(dir, "original-clone"), page: join(dir, "original-page") };
    copyCheckout(original.clone);
    writePage(original.page);
    const cache = join(dir, "cache");
    const fresh = (name: keyof typeof original) => {
      const folder = join(dir, name);
      rmSync(folder, { recursive: true, force: true });
      cpSync(original[name], folder, { recursive: true });
      return folder;
    };
    const empty = () => rmSync(cache, { recursive: true, force: true });
    timed(original.page, ["npm", "install", "--package-lock-only", ...QUIET], cache);
    const rows: (readonly string[])[] = [["npm's cache", "", "time", "of the yardstick's", "goal", ""]];
    let again: number[] = [];
    for (const isWarm of [false, true]) {
      again = [];
      const measured = await interleave(ROUNDS, {
        install: async () => {
          if (!isWarm) empty();
          return timed(fresh("page"), ["npm", "ci", ...QUIET], cache);
        },
        build: async () =>
          timed(join(dir, "page"), [process.execPath, "node_modules/next/dist/bin/next", "build"], cache),
        demo: async () => {
          if (!isWarm) empty();
          const clone = fresh("clone");
          const ms = await timeDemo(clone, cache);
          again.push(await timeDemo(clone, cache));
          return ms;
        },
      });
      const yardstick = measured.install + measured.build;
      const kind = isWarm ? "warm" : "cold";
      rows.push(
        [kind, "yardstick: npm ci", seconds(measured.install), "", "", ""],
        [kind, "yardstick: build of one page", seconds(measured.build), "", "", ""],
        [
          kind,
          "npm run demo, first start",
          ...judged(measured.demo, yardstick, FIRST_GOAL * yardstick, `at most ${FIRST_GOAL}`),
        ],
        [
          kind,
          "npm run demo, second start",
          ...judged(median(again), yardstick, SECOND_GOAL, `under ${seconds(SECOND_GOAL)}`),
        ],
      );
    }
    return rows;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const seconds = (ms: number) => `${(ms / SECOND).toFixed(1)} s`;

function judged(ms: number, yardstick: number, most: number, goal: string): readonly string[] {
  return [seconds(ms), (ms / yardstick).toFixed(2), goal, ms <= most ? "met" : "missed"];
}

/** The files that belong to the checkout, as they are. */
function copyCheckout(to: string): void {
  const files = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" }).stdout.split("\0").filter(Boolean);
  if (files.length === 0) throw new PlainError("The first start is measured from a git checkout.");
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(file, join(to, file));
  }
}

/** The one page, with the packages that `next build` wants for TypeScript. */
function writePage(folder: string): void {
  const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const known: Record<string, string> = { ...dependencies, ...devDependencies };
  const names = ["next", "react", "react-dom", "typescript", "@types/node", "@types/react"];
  const wanted = Object.fromEntries(names.map((name) => [name, known[name]]));
  const component = "export default function";
  const files = {
    "package.json": JSON.stringify({ dependencies: wanted }),
    // As in the console's own build.
    "next.config.mjs": "export default { typescript: { ignoreBuildErrors: true } };",
    "app/layout.tsx": `${component} Layout({ children }: { children: React.ReactNode }) { return <html><body>{children}</body></html>; }`,
    "app/page.tsx": `${component} Page() { return <h1>Hello</h1>; }`,
  };
  mkdirSync(join(folder, "app"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Runs a command and returns how long it took, in milliseconds. @throws PlainError with its output when it fails. */
function timed(cwd: string, [file = "", ...args]: string[], cache: string): number {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: "utf8", env: environment(cache) });
  if (status !== 0) throw new PlainError(`${file} ${args.join(" ")} failed.\n${stdout}${stderr}`);
  return performance.now() - start;
}

/** Milliseconds until the demo has answered a page. Ends the demo. */
async function timeDemo(cwd: string, cache: string): Promise<number> {
  const start = performance.now();
  const demo = spawn("npm", ["run", "demo"], {
    cwd,
    env: { ...environment(cache), PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  demo.stderr.resume();
  const ended = once(demo, "exit");
  const end = () => endGroup(demo, "SIGKILL");
  process.once("exit", end);
  const [, page = ""] = /^Token page +(\S+)$/m.exec(await waitForDemo(demo)) ?? [];
  await (await fetch(page)).text();
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

/** This process's variables without those of the console, as a newcomer has none. `cache`: of npm. */
function environment(cache: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, npm_config_cache: cache };
  for (const name of [...VARIABLE_NAMES, "CONSOLE_DIST_DIR", "NODE_ENV"]) delete env[name];
  return env;
}
