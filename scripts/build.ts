import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { rolldown } from "rolldown";
import { PlainError } from "@/lib/failures";
import { BUILD_INFO, versionOfSources } from "@/lib/process/build-info.mjs";
import { EDGE_PROGRAM, writeEdgeProgram } from "./edge-program";
import { bundleServer } from "./server-bundle";
import { withSetupLock } from "./setup-lock.mjs";

/** The builds of the app, apart from each other so that the tests never touch the one that is being served. */
export const DIST_DIRS = { app: process.env.CONSOLE_DIST_DIR || ".next", test: ".next-test" } as const;

/** What the build is made from; tests and scripts are not. */
const INPUTS = [
  "app",
  "edge",
  "lib",
  "public",
  "instrumentation.ts",
  "proxy.ts",
  "next.config.mjs",
  "tsconfig.json",
  "package-lock.json",
  "prisma/schema.prisma",
  "scripts/start-checks.ts",
  "scripts/migrations.ts",
  "scripts/require-migrated.ts",
  "scripts/server-bundle.ts",
  "server",
];
const STAMP = "console-build";

/** `npm run build`: always builds. */
export async function main(): Promise<void> {
  await withSetupLock(() => build(DIST_DIRS.app));
}

/**
 * Builds unless the build in `distDir` was made from the same files. `step` runs the build and says so.
 * @throws PlainError when the build fails.
 */
export async function buildIfChanged(
  distDir: string,
  step = (task: () => Promise<void>) => {
    console.error("Building …");
    return task();
  },
): Promise<void> {
  if (isBuilt(distDir)) return;
  // Asked again inside the lock: another command may have built meanwhile.
  await withSetupLock(async () => {
    if (!isBuilt(distDir)) await step(() => build(distDir));
  });
}

/** Whether the build in `distDir` was made from the files as they are, by whichever Node. */
export function isBuilt(distDir: string): boolean {
  const stamp = join(distDir, STAMP);
  return existsSync(EDGE_PROGRAM) && existsSync(stamp) && readFileSync(stamp, "utf8") === inputsHash();
}

async function build(distDir: string): Promise<void> {
  const hash = inputsHash();
  await writeEdgeProgram();
  // Route types of the other build may name routes that are gone; the type check would stop at them.
  for (const dir of Object.values(DIST_DIRS)) rmSync(join(dir, "types"), { recursive: true, force: true });
  const next = spawn(process.execPath, ["node_modules/next/dist/bin/next", "build"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", CONSOLE_DIST_DIR: distDir },
  });
  const end = () => next.kill();
  process.once("exit", end);
  const [[code], output, errors] = await Promise.all([once(next, "exit"), text(next.stdout), text(next.stderr)]);
  process.off("exit", end);
  if (code !== 0) throw new PlainError(`The build failed.\n${output}${errors}`);
  await bundleServer(distDir);
  const info = { version: versionOfSources(), commit: commitOfSources() };
  writeFileSync(join(distDir, BUILD_INFO), JSON.stringify(info));
  // A console starts once this file is there.
  await bundleStartChecks(join(distDir, "start-checks.mjs"));
  writeFileSync(join(distDir, STAMP), hash);
}

/** So that no TypeScript loader, and no process of one, runs beside a console in production. Packages stay outside. */
async function bundleStartChecks(file: string): Promise<void> {
  const bundle = await rolldown({
    input: "scripts/start-checks.ts",
    platform: "node",
    tsconfig: "tsconfig.json",
    external: (id) => /^[a-z]|^@[a-z]/.test(id),
  });
  await bundle.write({ file, format: "esm" });
  await bundle.close();
}

/** COMMIT, which the image is built with, or that of the checkout; "unknown" where the sources are no checkout of git. */
function commitOfSources(): string {
  if (process.env.COMMIT) return process.env.COMMIT;
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}

function inputsHash(): string {
  const hash = createHash("sha256");
  for (const path of INPUTS.flatMap(filesIn)) hash.update(`${path}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

function filesIn(path: string): string[] {
  // The build writes the program of edge nodes itself.
  if (!existsSync(path) || /generated$|\.test\.ts$/.test(path) || path === EDGE_PROGRAM) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
