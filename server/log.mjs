/**
 * One line of JSON on standard error, like every fault of the app. The texts are the server's own, never a client's.
 * @param {string} event
 * @param {string | undefined} detail
 */
export function logError(event, detail) {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level: "error", event, detail })}\n`);
}
