import { format } from "node:util";
import { logRepeated } from "./repeated.mjs";

const METHODS = /** @type {const} */ ({ error: "error", warn: "error", info: "info", log: "info", debug: "info" });
/** Only the start of a message identifies it. The rest may hold input that differs each time. */
const REASON_LENGTH = 24;

/**
 * Redirects console output of Next and of packages to the log, where it is shortened, escaped, freed of secrets and
 * counted when repeated. Next prints values of anonymous requests unescaped.
 */
export function logConsole() {
  for (const method of /** @type {(keyof typeof METHODS)[]} */ (Object.keys(METHODS))) {
    console[method] = (/** @type {unknown[]} */ ...values) => {
      // `reportPageFault` logs the failures of pages.
      if (values.some((value) => value instanceof Error && "digest" in value)) return;
      const message = format(...values);
      logRepeated({ level: METHODS[method], event: "message", reason: message.slice(0, REASON_LENGTH) }, { message });
    };
  }
}
