import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProjectCopy } from "@/e2e/support/project-copy";

const FOLDER = "lib/generated";

test("generating the client anew from the schema changes no committed file", () => {
  const copy = new ProjectCopy();
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) copy.write(file, "");
  const generated = copy.run("prisma/build/index.js", "generate");
  expect(generated.status, generated.stderr).toBe(0);
  for (const file of files) expect(copy.read(file) === readFileSync(file, "utf8"), file).toBe(true);
});
