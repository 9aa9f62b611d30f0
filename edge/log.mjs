/** An error whose message is all that the operator needs. */
export class PlainError extends Error {}

/** What an error says, with its cause. @param {unknown} error */
export function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** One line; what others wrote loses its control characters. @param {string} text */
export function log(text) {
  // biome-ignore lint: control characters are what is taken away
  process.stderr.write(`${new Date().toISOString()} ${text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")}\n`);
}
