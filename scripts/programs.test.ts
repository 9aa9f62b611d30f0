import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, type TestContext, test, vi } from "vitest";
import { PROGRAMS, type Program } from "@/e2e/support/programs.mjs";
import { needsProgram } from "@/e2e/support/unit-needs";

const names = Object.keys(PROGRAMS) as Program[];

test(".ci/run installs the packages of that table: those that this machine lacks, each once", () => {
  const env = { ...process.env, PATH: "" };
  const printed = execFileSync(process.execPath, ["e2e/support/programs.mjs"], { env, encoding: "utf8" });
  const packages = printed.trim().split("\n");
  // Those that lie beside PATH may be there.
  const inPath = names.filter((name) => !("isThere" in PROGRAMS[name]));
  expect(packages).toEqual(expect.arrayContaining(inPath.flatMap((name) => PROGRAMS[name].packages)));
  expect(new Set(packages).size).toBe(packages.length);
  expect(readFileSync(".ci/run", "utf8")).toContain("$(node e2e/support/programs.mjs)");
});

test("a test lacking a program is skipped with the reason, and fails in CI", () => {
  vi.stubEnv("PATH", "");
  let skipped = 0;
  const context = { task: { meta: {} }, skip: () => void skipped++ } as unknown as TestContext;
  vi.stubEnv("CI", "");
  needsProgram(context, "wget");
  expect([context.task.meta.skipped, skipped]).toEqual(["no wget (apt install wget)", 1]);
  vi.stubEnv("CI", "true");
  expect(() => needsProgram(context, "wget")).toThrow("no wget (apt install wget)");
  vi.unstubAllEnvs();
});
