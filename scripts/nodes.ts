import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlainError } from "@/lib/failures";
import { DIST_DIRS } from "./build";
import { waitForDemo } from "./demo-output";

/** The supported majors, from the oldest to the newest, each with the version that is tried: of 20 the oldest. */
const VERSIONS: Readonly<Record<string, string>> = { "20": "20.19.0", "22": "22", "24": "24", "26": "26" };

const MAJORS = Object.keys(VERSIONS);

/** A Node and where it lies. */
export type NodeProgram = { version: string; path: string };

export const THIS_NODE: NodeProgram = { version: process.versions.node, path: process.execPath };

/**
 * `npm run nodes [-- MAJOR …]`: the unit tests, a build and the demo on other versions of Node, which npm's package `node`
 * brings. All of them by default.
 */
export async function main(majors: string[]): Promise<void> {
  for (const major of majors.length > 0 ? majors : MAJORS) {
    const node = await installNode(major);
    console.log(`\n── Unit tests on Node ${node.version}`);
    await run(node.path, ["node_modules/vitest/vitest.mjs", "run"]);
    console.log(`\n── Build and demo on Node ${node.version}`);
    await run(node.path, ["scripts/run.mjs", "build"], { CONSOLE_DIST_DIR: DIST_DIRS.test });
    await runDemo(node);
    console.log("The demo answers.");
  }
}

/** The oldest and the newest Node that are supported. */
export async function installOldestAndNewest(): Promise<[NodeProgram, NodeProgram]> {
  const [oldest = "", newest = ""] = [MAJORS.at(0), MAJORS.at(-1)];
  return [await installNode(oldest), await installNode(newest)];
}

async function installNode(major: string): Promise<NodeProgram> {
  const version = Object.hasOwn(VERSIONS, major) ? VERSIONS[major] : undefined;
  if (!version) throw new PlainError(`"${major}" is none of ${MAJORS.join(", ")}.`);
  const dir = mkdtempSync(join(tmpdir(), "console-node-"));
  // Tests start it as other users as well.
  chmodSync(dir, 0o755);
  process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  await run("npm", ["install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error", `node@${version}`]);
  return { version, path: join(dir, "node_modules", "node", "bin", "node") };
}

/**
 * Starts the demo as a newcomer does, on data of its own and the tests' build, until its own curl line has been answered.
 * @throws PlainError when it does not start, or the answer is not 200.
 */
export async function runDemo({ path }: NodeProgram): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "console-demo-"));
  const demo = spawn(path, ["scripts/run.mjs", "demo"], {
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: dir, CONSOLE_DIST_DIR: DIST_DIRS.test, HOST: "", PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(demo, "exit");
  try {
    const output = await waitForDemo(demo);
    const [, url = "", header = ""] = /curl -sS (\S+) -H "Authorization: (.*)"/.exec(output) ?? [];
    const { status } = await fetch(url, { headers: { Authorization: header } });
    if (status !== 200) throw new PlainError(`The demo answered ${status}.`);
  } finally {
    demo.kill("SIGINT");
    await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

async function run(program: string, args: string[], variables: Record<string, string> = {}): Promise<void> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...variables } });
  const [code] = await once(child, "close");
  if (code !== 0) throw new PlainError(`${program} ${args.join(" ")} failed.`);
}
