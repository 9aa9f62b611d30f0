import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";

const FOLDER = "lib/generated";

test("generating the client anew from the schema changes no committed file", () => {
  const copy = tempFolder();
  for (const name of ["prisma", "package.json"]) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  // As prisma.config.ts says it, which needs more of the project.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  execFileSync(process.execPath, ["node_modules/prisma/build/index.js", "generate"], { cwd: copy, env, stdio: "pipe" });
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    expect(readFileSync(join(copy, FOLDER, file), "utf8") === readFileSync(join(FOLDER, file), "utf8"), file).toBe(
      true,
    );
  }
});
