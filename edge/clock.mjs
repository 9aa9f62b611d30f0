import { MAX_CLOCK_ERROR, MINUTE, SECOND } from "./limits.mjs";
import { amount, log } from "./log.mjs";

/** What the console's clock is ahead of this machine's when this program started, in milliseconds. */
let clockOffset = 0;

/** The time by the console's clock: minutes are its minutes. Setting this machine's clock meanwhile changes nothing. */
export const now = () => Math.round(performance.timeOrigin + performance.now()) + clockOffset;

/**
 * Takes in what time the console says it is, in whole seconds. Its answers are seconds old at the most.
 * @param {string | null} seconds
 */
export function followClock(seconds) {
  if (seconds === null || !/^\d{9,11}$/.test(seconds)) return;
  const time = Number(seconds) * SECOND;
  const offset = time + SECOND / 2 - (now() - clockOffset);
  if (Math.abs(offset - clockOffset) <= MAX_CLOCK_ERROR) return;
  clockOffset = Math.abs(offset) <= MAX_CLOCK_ERROR ? 0 : offset;
  log(
    `This machine's clock and the console's differ by ${amount(Math.round(offset / SECOND), "second")}; the console's counts.`,
  );
}

/** When the minute of a time began. @param {number} time */
export const startOfMinute = (time) => time - (time % MINUTE);
