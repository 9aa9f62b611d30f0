import { test } from "playwright/test";
import { has, type Program, reasonWithout } from "./programs.mjs";

/**
 * Skips where this machine lacks one of these programs, and says which package brings it: in a test this test, in a group
 * or at the top of a file all that follow in it. `npm test` sums the reasons up. Where CI is set they fail instead.
 */
export function needs(...programs: Program[]): void {
  const missing = programs.filter((name) => !has(name));
  if (missing.length === 0) return;
  const reason = missing.map(reasonWithout).join("; ");
  if (!process.env.CI) test.skip(true, reason);
  else if (isInTest()) throw new Error(reason);
  else {
    test.beforeEach(() => {
      throw new Error(reason);
    });
  }
}

/** The embedded database has one session, so nobody can lock out another there: a run is on PostgreSQL where both are. */
export function needsPostgresRun(): void {
  needs("postgres", "redis-server");
}

function isInTest(): boolean {
  try {
    return test.info() !== null;
  } catch {
    return false;
  }
}
