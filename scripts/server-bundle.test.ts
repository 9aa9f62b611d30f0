import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";
import { bundleServer } from "./server-bundle";

const home = process.cwd();

beforeEach(() => {
  const copy = tempFolder();
  for (const name of ["app", "lib", "server", "tsconfig.json"]) cpSync(name, join(copy, name), { recursive: true });
  for (const name of ["node_modules", "package.json"]) symlinkSync(join(home, name), join(copy, name));
  writeFileSync(join(copy, "BUILD_ID"), "one");
  process.chdir(copy);
});
afterEach(() => process.chdir(home));

test("the bundle names its build and every machine route found in app/", async () => {
  cpSync("app/healthz", "app/api/v1/hello", { recursive: true });
  await bundleServer(".");
  const text = readFileSync("server.mjs", "utf8");
  expect(text).toMatch(/^\/\/ Build one\n/);
  for (const pattern of ["/api/v1/hello", "/api/v1/servers/[id]", "/api/[[...path]]", "/.well-known/security.txt"]) {
    expect(text).toContain(`pattern: "${pattern}"`);
  }
  expect(text).not.toContain('pattern: "/dashboard/');
});
