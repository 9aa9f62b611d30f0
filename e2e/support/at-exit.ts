const ends: (() => void)[] = [];

// The runner ends the process of a test that failed; the test itself then never comes to its last lines.
process.once("exit", () => {
  for (const end of ends) end();
});

/** Calls `end` when this process ends: it must not wait, and find nothing wrong with what has ended already. */
export function atExit(end: () => void): void {
  ends.push(end);
}
