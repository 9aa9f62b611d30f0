/** An error whose message is all that the operator needs. */
export class PlainError extends Error {}

/** What an error says, with its cause. @param {unknown} error */
export function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** A number and what it counts, such as "1 service" and "2 services". @param {number} number @param {string} word */
export const amount = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** One line; what others wrote loses its control characters. @param {string} text */
export function log(text) {
  // biome-ignore lint: control characters are what is taken away
  process.stderr.write(`${new Date().toISOString()} ${text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")}\n`);
}
