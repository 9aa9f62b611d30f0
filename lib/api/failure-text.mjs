/**
 * The body of every failure (contract 2). Plain JavaScript, because the server uses it too, where it refuses bytes that
 * never became a request.
 * @param {string} message for the caller
 */
export function failureText(message) {
  return JSON.stringify({ error: message });
}
