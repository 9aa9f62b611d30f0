/**
 * Says why a start was refused: to a person at a terminal in plain words; else as a line of JSON, like all of the log.
 * @param {string} reason
 */
export function tellRefusedStart(reason) {
  const line = { time: new Date().toISOString(), level: "error", event: "the start was refused", detail: reason };
  process.stderr.write(`${process.stderr.isTTY ? reason : JSON.stringify(line)}\n`);
}
