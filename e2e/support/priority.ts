import { constants, getPriority, setPriority } from "node:os";

// Consoles and the database of all tests go before what else the machine does, where this user may say so; tests and their
// browsers do not. Else a machine that is busy with something else makes the console miss its own deadlines.

const { PRIORITY_NORMAL, PRIORITY_BELOW_NORMAL } = constants.priority;
const FIRST = -PRIORITY_BELOW_NORMAL;

/** From now on this process, and what it starts, go first. False where this user may not do that. */
export function goFirst(): boolean {
  try {
    setPriority(FIRST);
    return true;
  } catch {
    return false;
  }
}

/** From now on this process, and what it starts, step back behind those that go first. */
export function stepBack(): void {
  setPriority(process.env.E2E_GOES_FIRST ? PRIORITY_NORMAL : PRIORITY_BELOW_NORMAL);
}

/** Starts a process that goes first. It must be started before the function returns. */
export function startFirst<Started>(start: () => Started): Started {
  const before = getPriority();
  if (!process.env.E2E_GOES_FIRST || !goFirst()) return start();
  try {
    return start();
  } finally {
    setPriority(before);
  }
}
