/**
 * The body of every failure (contract 2). The server writes it as well, where no request exists yet; it is plain
 * JavaScript, and therefore so is this.
 * @param {string} message for the caller
 */
export function failureText(message) {
  return JSON.stringify({ error: message });
}
