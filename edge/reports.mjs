import { now } from "./clock.mjs";
import { Backoff, Refusal } from "./console.mjs";
import { MAX_ERROR, MINUTE, PLAIN_TIME, REPORT_SIZE, SECOND } from "./limits.mjs";
import { log, messageOf } from "./log.mjs";
import { sleep } from "./waiting.mjs";

/** @import { Acknowledgement } from "./console.mjs" */
/** @import { Interval, NodeMinute } from "./intervals.mjs" */
/** @import { Node } from "./node.mjs" */

/** Tells the console what there is to tell, until the end. What it does not take waits. @param {Node} node */
export async function deliver(node) {
  const wait = new Backoff();
  // What a proxy lets through. It may have been another one for a moment, so whole reports are tried again each minute.
  let [most, boundedAt] = [REPORT_SIZE, 0];
  let size = most;
  while (!node.stop.signal.aborted) {
    const isPlain = now() < node.plainUntil;
    const acknowledgements = [...node.acknowledgements.values()]
      .map((one) => (isPlain ? plain(one) : one))
      .filter((one) => node.told.get(one.service_id) !== JSON.stringify(one))
      .slice(0, size);
    const intervals = node.spool.slice(0, size);
    const minutes = isPlain ? [] : node.nodeSpool.slice(0, size);
    if (acknowledgements.length + intervals.length + minutes.length === 0) {
      await sleep(SECOND / 4, node.stop.signal);
      continue;
    }
    try {
      const report = { acknowledgements, intervals: isPlain ? intervals.map(plainInterval) : intervals };
      await node.console.report(minutes.length > 0 ? { ...report, node_minutes: minutes } : report, node.stop.signal);
      node.reached();
      delivered(node, acknowledgements, intervals, minutes);
      wait.reset();
      if (performance.now() - boundedAt > MINUTE) most = REPORT_SIZE;
      size = most;
    } catch (error) {
      const isTheirs = error instanceof Refusal && error.isConsoles && (error.status === 400 || error.status === 413);
      if (isTheirs && !isPlain && NEW_FIELDS.test(error.message)) {
        // A console that is older than this program refuses fields that it does not know. It is told them again later.
        node.plainUntil = now() + PLAIN_TIME;
      } else if (isTheirs && size > 1) {
        // One of them is refused: smaller reports find out which.
        size = Math.max(1, Math.floor(size / 4));
      } else if (isTheirs) {
        log(`Given up: ${messageOf(error)} ${JSON.stringify({ acknowledgements, intervals })}`);
        delivered(node, acknowledgements, intervals, minutes);
      } else {
        if (error instanceof Refusal && error.status === 413) {
          size = most = Math.max(1, Math.floor(size / 4));
          boundedAt = performance.now();
        }
        node.failed(error);
        await sleep(wait.next(error), node.stop.signal);
      }
    }
  }
}

/**
 * @param {Node} node
 * @param {readonly Acknowledgement[]} acknowledgements
 * @param {readonly Interval[]} intervals
 * @param {readonly NodeMinute[]} minutes
 */
function delivered(node, acknowledgements, intervals, minutes) {
  for (const one of acknowledgements) {
    node.told.set(one.service_id, JSON.stringify(one));
    if (one.version !== null) continue;
    node.gone.delete(one.service_id);
    node.acknowledgements.delete(one.service_id);
    node.told.delete(one.service_id);
  }
  const sent = new Set(intervals);
  node.spool = node.spool.filter((interval) => !sent.has(interval));
  node.nodeSpool = node.nodeSpool.filter((minute) => !minutes.includes(minute));
  node.save();
}

/** What an older console refuses of a report. */
const NEW_FIELDS = /\b(?:serving_version|warning|joins|pings|answered|players|node_minutes): is not a field of /;

/**
 * An interval as the first version of the console knows it.
 * @param {Interval} interval
 * @returns {Interval}
 */
const plainInterval = ({ joins: _, pings: __, answered: ___, players: ____, ...rest }) => rest;

/**
 * An acknowledgement as the first version of the console knows it.
 * @param {Acknowledgement} one
 * @returns {Acknowledgement}
 */
function plain({ service_id, version, error, serving_version }) {
  if (error === null || serving_version == null) return { service_id, version, error };
  const end =
    serving_version === version
      ? " Players still reach its last ip."
      : ` Players still reach version ${serving_version}.`;
  return { service_id, version, error: error.slice(0, MAX_ERROR - end.length) + end };
}
