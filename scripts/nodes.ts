import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlainError } from "@/lib/failures";
import { waitForDemo } from "./demo-output";

/** The majors that package.json names, each with the oldest version of it that is supported or the newest that there is. */
const VERSIONS: Readonly<Record<string, string>> = { "20": "20.19.0", "22": "22", "24": "24", "26": "26" };

/**
 * `npm run nodes [-- MAJOR …]`: the unit tests and the demo on other versions of Node, which npm's package `node` brings.
 * All of them by default.
 */
export async function main(majors: string[]): Promise<void> {
  for (const major of majors.length > 0 ? majors : Object.keys(VERSIONS)) {
    const version = Object.hasOwn(VERSIONS, major) ? VERSIONS[major] : undefined;
    if (!version) throw new PlainError(`"${major}" is none of ${Object.keys(VERSIONS).join(", ")}.`);
    const dir = mkdtempSync(join(tmpdir(), "console-node-"));
    try {
      await runOn(version, dir);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
}

async function runOn(version: string, dir: string): Promise<void> {
  const install = ["install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error", `node@${version}`];
  await succeed(spawn("npm", install, { stdio: "inherit" }), `npm install node@${version}`);
  const node = join(dir, "node_modules", "node", "bin", "node");
  console.log(`\n── Unit tests on Node ${version}`);
  await succeed(spawn(node, ["node_modules/vitest/vitest.mjs", "run"], { stdio: "inherit" }), "The unit tests");
  console.log(`\n── The demo on Node ${version}`);
  await runDemo(node, dir);
}

/** The demo as a newcomer starts it, with a build and data of its own, until its own curl line has been answered. */
async function runDemo(node: string, dir: string): Promise<void> {
  // A folder of the project, because a build finds its packages above it.
  const distDir = mkdtempSync(".next-node-");
  const demo = spawn(node, ["scripts/run.mjs", "demo"], {
    env: {
      ...process.env,
      DATABASE_URL: "",
      DATA_DIR: join(dir, "data"),
      CONSOLE_DIST_DIR: distDir,
      PORT: "0",
      CI: "1",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(demo, "exit");
  try {
    const output = await waitForDemo(demo);
    const [, url = "", header = ""] = /curl -sS (\S+) -H "Authorization: (.*)"/.exec(output) ?? [];
    const { status } = await fetch(url, { headers: { Authorization: header } });
    if (status !== 200) throw new PlainError(`The demo answered ${status}.`);
    console.log("The demo answers.");
  } finally {
    demo.kill("SIGINT");
    await ended;
    rmSync(distDir, { recursive: true, force: true });
  }
}

async function succeed(child: ChildProcess, what: string): Promise<void> {
  const [code] = await once(child, "close");
  if (code !== 0) throw new PlainError(`${what} failed.`);
}
