import { MINUTE } from "@/lib/format/time";

// How long tests wait for a fact. Each only bounds a hang, so it is long enough for a machine that is busy with something
// else; a test that waits in vain takes that much longer to fail.

/** For a test as a whole. */
export const WHOLE_TEST = 15 * MINUTE;
/** For a fact that comes within seconds on a quiet machine: the default of `expect`. */
export const FACT = 1.5 * MINUTE;
/** For a fact that takes a minute on a quiet machine, such as a start that builds. */
export const SLOW = { timeout: 8 * MINUTE };

/** A variable of the console: how long a request waits. Tests of other things let it wait for as long as a busy machine takes. */
export const LONG_WAIT = { CONSOLE_LONGEST_WAIT: String(MINUTE) };
/** For tests of many requests that share it: the console's own. */
export const OWN_WAIT = { CONSOLE_LONGEST_WAIT: "" };
