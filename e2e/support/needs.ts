import { test } from "playwright/test";
import { has, type Program, reasonWithout } from "./programs.mjs";

/**
 * Skips where this machine lacks one of these programs, and says which package brings it: in a test this test, in a group
 * or at the top of a file all that follow in it. `npm test` sums the reasons up.
 */
export function needs(...programs: Program[]): void {
  const missing = programs.filter((name) => !has(name));
  test.skip(missing.length > 0, missing.map(reasonWithout).join("; "));
}

/** Skips where the run is not on a PostgreSQL server: the embedded database has one session, so nobody can lock out another. */
export function needsPostgresRun(): void {
  if (process.env.E2E_POSTGRES_URL) return;
  needs("postgres", "redis-server");
  test.skip(true, "this run is on the embedded database");
}
