const ends: (() => void)[] = [];

// The runner ends the process of a failed test, so the test's own cleanup may never run.
process.once("exit", () => {
  for (const end of ends) end();
});

/** Calls `end` when this process exits. `end` must be synchronous, and must accept resources that have already ended. */
export function atExit(end: () => void): void {
  ends.push(end);
}
