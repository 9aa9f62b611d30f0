import { MINUTE } from "@/lib/format/time";

// How long tests wait for a fact. Each only bounds a hang, so it is long enough for a machine that is busy with something
// else; a test that waits in vain takes that much longer to fail.

/** For a test as a whole. */
export const WHOLE_TEST = 15 * MINUTE;
/** For a fact that comes within seconds on a quiet machine: the default of `expect`. */
export const FACT = 1.5 * MINUTE;
/** For a fact that takes a minute on a quiet machine, such as a start that builds. */
export const SLOW = { timeout: 8 * MINUTE };
