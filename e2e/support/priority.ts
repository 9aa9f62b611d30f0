import { constants, getPriority, setPriority } from "node:os";

// The console and the database of all tests go first, where this user may say so, then those of single tests; tests and their
// browsers come last. Else a machine that is busy, with the starts of such consoles too, makes one miss its own deadlines.

const { PRIORITY_NORMAL, PRIORITY_BELOW_NORMAL, PRIORITY_ABOVE_NORMAL, PRIORITY_HIGH } = constants.priority;

/** From now on this process, and what it starts, go first. False where this user may not do that. */
export function goFirst(): boolean {
  try {
    setPriority(PRIORITY_HIGH);
    return true;
  } catch {
    return false;
  }
}

/** From now on this process, and what it starts, step back behind those that go first. */
export function stepBack(): void {
  setPriority(process.env.E2E_GOES_FIRST ? PRIORITY_NORMAL : PRIORITY_BELOW_NORMAL);
}

/** Starts a process that goes before tests. It must be started before the function returns. */
export function startBeforeTests<Started>(start: () => Started): Started {
  const before = getPriority();
  if (!process.env.E2E_GOES_FIRST || before < PRIORITY_ABOVE_NORMAL) return start();
  setPriority(PRIORITY_ABOVE_NORMAL);
  try {
    return start();
  } finally {
    setPriority(before);
  }
}
