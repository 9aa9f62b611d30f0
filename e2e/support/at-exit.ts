const ends = new Set<() => void>();

// The runner ends the process of a test that failed; the test itself then never comes to its last lines.
process.once("exit", () => {
  for (const end of ends) end();
});

/** Calls `end`, which must not wait, when this process ends, unless what is returned was called before. */
export function atExit(end: () => void): () => void {
  ends.add(end);
  return () => ends.delete(end);
}
