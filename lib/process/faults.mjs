import { logRepeated } from "./repeated.mjs";

/** Stack frames that identify a fault. Faults in a database client share the top frames and differ in their callers. */
const FRAMES = 8;

/**
 * Logs an unexpected error with its stack. Repetitions from the same place in the code are only counted.
 * @param {string} event
 * @param {unknown} error
 * @param {import("./log.mjs").Fields} fields
 */
export function logFault(event, error, fields) {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logRepeated({ level: "error", event, reason: placeOf(stack) }, { ...fields, stack });
}

/**
 * The place in the code where the error was thrown. Its message may hold input that differs each time.
 * @param {string} stack
 */
function placeOf(stack) {
  return (
    stack
      .match(/^ +at .{1,200}/gm)
      ?.slice(0, FRAMES)
      .join("\n") ?? "nowhere"
  );
}
