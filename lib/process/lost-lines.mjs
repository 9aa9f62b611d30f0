// Counts the lines of the log that could not be written, as when its disk is full, and says so once there is room.
import { perProcess } from "./per-process.mjs";

/** How often it is tried whether there is room again. */
const TRY_EVERY_MS = 5_000;

/**
 * Lines of the log that could not be written: since the start, and by stream those that were not reported yet.
 * @typedef {{ all: number, unreported: Map<NodeJS.WriteStream, { count: number, since: string }> }} LostLines
 */

const lost = perProcess("lost-lines", () => {
  // A failed write tells its callback. Without a listener, it would end the process as well.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return /** @type {LostLines} */ ({ all: 0, unreported: new Map() });
});

/** How many lines of this process were lost since its start. */
export function countLostLines() {
  return lost.all;
}

/**
 * Counts a line that `stream` did not take. A line of the log reports it once the stream takes lines again.
 * @param {NodeJS.WriteStream} stream
 */
export function lineLost(stream) {
  lost.all++;
  const known = lost.unreported.get(stream);
  if (known) {
    known.count++;
    return;
  }
  const lines = { count: 1, since: new Date().toISOString() };
  lost.unreported.set(stream, lines);
  const timer = setInterval(() => {
    const line = { time: new Date().toISOString(), level: "error", event: "log lines lost", ...lines };
    // On a line of its own: the last line may have been written in part.
    stream.write(`\n${JSON.stringify(line)}\n`, (error) => {
      if (error || lost.unreported.get(stream) !== lines) return;
      clearInterval(timer);
      lost.unreported.delete(stream);
    });
  }, TRY_EVERY_MS).unref();
}
