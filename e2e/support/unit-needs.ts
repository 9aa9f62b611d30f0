import type { TestContext } from "vitest";
import { has, type Program, reasonWithout } from "./programs.mjs";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test was skipped, for the report of `npm test`. */
    skipped?: string;
  }
}

/** As `needs` of the end-to-end tests, for a unit test: skips it where this machine lacks the program, and fails it where CI is set. */
export function needsProgram({ task, skip }: Pick<TestContext, "task" | "skip">, name: Program): void {
  if (has(name)) return;
  if (process.env.CI) throw new Error(reasonWithout(name));
  task.meta.skipped = reasonWithout(name);
  skip();
}
