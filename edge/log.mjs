import { MINUTE } from "./limits.mjs";

/** An error whose message is all that the operator needs. */
export class PlainError extends Error {}

/** What an error says, with its cause. @param {unknown} error */
export function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** When the failure of each part was last said, as `performance.now()`. @type {Map<string, number>} */
const saidAt = new Map();

/** What can fail by itself. An error that names none of them is a part of its own. */
const PARTS = [/HAProxy/, /^nft |packets/i, /cannot be written/, /^(The console|A proxy)/];

/** Logs a failure of a part of the node's work, at most once a minute for each. @param {unknown} error @param {string} [before] */
export function logFailure(error, before = "") {
  const message = messageOf(error);
  const part = String(PARTS.findIndex((one) => one.test(before + message)) + 1 || message.slice(0, 40));
  const at = performance.now();
  if (at - (saidAt.get(part) ?? -MINUTE) < MINUTE) return;
  if (saidAt.size > 100) saidAt.clear();
  saidAt.set(part, at);
  log(before + message);
}

/** A number and what it counts, such as "1 service" and "2 services". @param {number} number @param {string} word */
export const amount = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** One line; what others wrote loses its control characters. @param {string} text */
export function log(text) {
  // biome-ignore lint: control characters are what is taken away
  process.stderr.write(`${new Date().toISOString()} ${text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")}\n`);
}
