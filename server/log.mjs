import { format } from "node:util";
import { buildInfo } from "../lib/process/build-info.mjs";
import { log } from "../lib/process/log.mjs";

/**
 * An error with a detail in words.
 * @param {string} event
 * @param {string | undefined} detail
 */
export function logError(event, detail) {
  log("error", event, { detail });
}

/**
 * The same for events that are not errors.
 * @param {string} event
 * @param {string} detail
 */
export function logInfo(event, detail) {
  log("info", event, { detail });
}

/** Logs the start of a console. It is the first line of its log. */
export function logStart() {
  log("info", "starting", { ...buildInfo(), node: process.versions.node });
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
