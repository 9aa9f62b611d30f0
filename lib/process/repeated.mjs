import { log } from "./log.mjs";
import { perProcess } from "./per-process.mjs";

/** @typedef {import("./log.mjs").Fields} Fields */

/**
 * An event that may repeat for the same reason.
 * @typedef {object} Repeated
 * @property {"info" | "error"} level
 * @property {string} event
 * @property {string} [reason] Tells the reasons of one event apart.
 * @property {string} [over] The event to log when `endRepeated` reports recovery. Without it, the event is over when it
 *   stops happening.
 */

/**
 * A repeated event, from its first line to its last one. Times are epoch milliseconds.
 * @typedef {{
 *   repeated: Repeated,
 *   fields: Fields,
 *   since: number,
 *   last: number,
 *   count: number,
 *   counted: number,
 *   toldAt: number,
 *   mayBeOver: boolean,
 * }} Episode
 * @typedef {{ episodes: Map<string, Episode>, timer: NodeJS.Timeout | undefined }} State
 */

const SECOND = 1000;
/** How often a line reports the count since the previous line. */
const TELL_EVERY = 60 * SECOND;
/** An event without `over` has ended after this long without a repetition. */
const OVER_AFTER = 60 * SECOND;
/**
 * A recovery is logged after this long without a failure. Otherwise every success between two failures would be logged.
 */
const SETTLED_AFTER = 3 * SECOND;
const LOOK_EVERY = SECOND;
/** Reasons of one event that are told apart. Further ones are counted together: strangers can make up ips. */
const MAX_REASONS = 100;

const state = perProcess("repeated-events", () => /** @type {State} */ ({ episodes: new Map(), timer: undefined }));

/**
 * Logs an event that may repeat: a line when it begins, a count each minute while it lasts, and a line when it ends.
 * The first line has the fields of the first occurrence; each count has those of the latest.
 * @param {Repeated} repeated
 * @param {Fields} fields
 */
export function logRepeated(repeated, fields) {
  const { episodes } = state;
  const now = Date.now();
  const key = keyOf(repeated);
  const episode = episodes.get(key);
  if (episode) {
    Object.assign(episode, { fields, last: now, count: episode.count + 1, mayBeOver: false });
    return;
  }
  log(repeated.level, repeated.event, fields);
  episodes.set(key, { repeated, fields, since: now, last: now, count: 1, counted: 1, toldAt: now, mayBeOver: false });
  state.timer ??= setInterval(look, LOOK_EVERY).unref();
}

/**
 * Marks a repeated event with `over` as recovered. Cheap enough to call after every success.
 * @param {string} event
 */
export function endRepeated(event) {
  if (state.episodes.size === 0) return;
  const episode = state.episodes.get(event);
  if (episode) episode.mayBeOver = true;
}

/** @param {Repeated} repeated */
function keyOf({ event, reason }) {
  if (reason === undefined) return event;
  const key = `${event}\n${reason}`;
  if (state.episodes.has(key)) return key;
  const reasons = [...state.episodes.values()].filter(({ repeated }) => repeated.event === event).length;
  return reasons < MAX_REASONS ? key : `${event}\nand others`;
}

function look() {
  const now = Date.now();
  for (const [key, episode] of state.episodes) {
    if (isOver(episode, now)) {
      state.episodes.delete(key);
      tellEnd(episode);
    } else if (now - episode.toldAt >= TELL_EVERY) {
      tellCount(episode, now);
    }
  }
  if (state.episodes.size > 0) return;
  clearInterval(state.timer);
  state.timer = undefined;
}

/**
 * @param {Episode} episode
 * @param {number} now
 */
function isOver({ repeated, last, mayBeOver }, now) {
  return repeated.over === undefined ? now - last >= OVER_AFTER : mayBeOver && now - last >= SETTLED_AFTER;
}

/**
 * @param {Episode} episode
 * @param {number} now
 */
function tellCount(episode, now) {
  const { repeated, fields, since, count, counted } = episode;
  if (count > counted) {
    log(repeated.level, repeated.event, { ...fields, repeated: count - counted, since: new Date(since).toISOString() });
  }
  Object.assign(episode, { counted: count, toldAt: now });
}

/**
 * Logs the end of an event. An event without `over` that happened only once needs no second line.
 * @param {Episode} episode
 */
function tellEnd({ repeated, since, last, count }) {
  if (count === 1 && repeated.over === undefined) return;
  const lasted = { count, seconds: Math.round((last - since) / SECOND) };
  if (repeated.over === undefined)
    log("info", `over: ${repeated.event}`, { reason: repeated.reason?.split("\n")[0], ...lasted });
  else log("info", repeated.over, lasted);
}
