import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFiles } from "@/e2e/support/project-files";

// Each bundle of the process has its own copy of every module. What changes in a module is therefore not there for the
// others, unless it is held by `perProcess`.

/** A variable of a module that changes: a `let`, or an empty collection that something fills. */
const STATE =
  /^(?:export )?(?:let \w+|const \w+(?:: (?!Readonly)[^=]+)? = new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\))/gm;

/** Each copy may have its own formats, which are the same in all. */
const EXCEPTIONS = ["lib/format/time-zone.ts"];

test("changing state in lib/ is held by perProcess, so all bundles share it", () => {
  const found = projectFiles()
    .filter((file) => /^lib\/(?!generated\/).*\.(?:ts|mjs)$/.test(file) && !file.endsWith(".test.ts"))
    .filter((file) => readFileSync(file, "utf8").match(STATE));
  expect(found).toEqual(EXCEPTIONS);
});
