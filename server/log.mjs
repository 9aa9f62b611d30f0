import { format } from "node:util";

/**
 * One line of JSON on standard error, like every fault of the app. The texts are the server's own, never a client's.
 * @param {string} event
 * @param {string | undefined} detail
 */
export function logError(event, detail) {
  process.stderr.write(lineOf("error", event, detail));
}

/**
 * The same on standard output, for events that are not errors.
 * @param {string} event
 * @param {string} detail
 */
export function logInfo(event, detail) {
  process.stdout.write(lineOf("info", event, detail));
}

/** Turns the warnings of Node, and what Next writes to the console while it starts, into JSON lines as well. */
export function logConsoleAtStart() {
  process.removeAllListeners("warning");
  // Called when it is needed: the app has a console of its own later.
  process.on("warning", ({ name, message }) => console.warn(`${name}: ${message}`));
  for (const method of /** @type {const} */ (["log", "info", "warn"])) {
    console[method] = (...values) => logInfo("message", format(...values));
  }
  console.error = (...values) => logError("message", format(...values));
}

/**
 * @param {string} level
 * @param {string} event
 * @param {string | undefined} detail
 */
function lineOf(level, event, detail) {
  return `${JSON.stringify({ time: new Date().toISOString(), level, event, detail })}\n`;
}
