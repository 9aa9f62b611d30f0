import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MACHINE_PATHS } from "@/lib/http/machine-path.mjs";

test("the matcher of proxy.ts leaves out the paths of machines and the files of public/, and nothing else", () => {
  const [, pattern = ""] = /matcher: \[\s*("\/.*"),/.exec(readFileSync("proxy.ts", "utf8")) ?? [];
  const entries = readdirSync("public", { withFileTypes: true });
  const escaped = (names: string[]) => names.map((name) => name.replaceAll(".", "\\.")).join("|");
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(JSON.parse(pattern)).toBe(
    `/((?!(?:${escaped(MACHINE_PATHS.map((path) => path.slice(1)))})(?:/|$)|_next/|__nextjs|(?:${escaped(files.sort())})$|(?:${escaped(folders.sort())})/).*)`,
  );
});
