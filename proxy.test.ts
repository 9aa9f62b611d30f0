import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MACHINE_PATHS } from "@/lib/http/machine-path.mjs";
import { PUBLIC_FILES } from "@/lib/http/public-files.mjs";

test("the matcher of proxy.ts leaves out exactly machine paths and public files", () => {
  const [, pattern = ""] = /matcher: \[\s*("\/.*"),/.exec(readFileSync("proxy.ts", "utf8")) ?? [];
  const escaped = (names: readonly string[]) => names.map((name) => name.replaceAll(".", "\\.")).join("|");
  expect(JSON.parse(pattern)).toBe(
    `/((?!(?:${escaped(MACHINE_PATHS.map((path) => path.slice(1)))})(?:/|$)|_next/|__nextjs|(?:${escaped(PUBLIC_FILES)})$).*)`,
  );
});
