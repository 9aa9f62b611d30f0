import { Backoff, Refusal } from "./console.mjs";
import { MINUTE, REPORT_SIZE, SECOND } from "./limits.mjs";
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
    const acknowledgements = [...node.acknowledgements.values()]
      .filter((one) => node.told.get(one.service_id) !== JSON.stringify(one))
      .slice(0, size);
    // The smallest report has one kind, so that nothing is given up with what is refused.
    const isOne = size === 1;
    const intervals = isOne && acknowledgements.length > 0 ? [] : node.spool.slice(0, size);
    const minutes = isOne && acknowledgements.length + intervals.length > 0 ? [] : node.nodeSpool.slice(0, size);
    if (acknowledgements.length + intervals.length + minutes.length === 0) {
      await sleep(SECOND / 4, node.stop.signal);
      continue;
    }
    try {
      const report = { acknowledgements, intervals };
      await node.console.report(minutes.length > 0 ? { ...report, node_minutes: minutes } : report, node.stop.signal);
      node.reached();
      delivered(node, acknowledgements, intervals, minutes);
      wait.reset();
      if (performance.now() - boundedAt > MINUTE) most = REPORT_SIZE;
      size = most;
    } catch (error) {
      const isTheirs = error instanceof Refusal && error.isConsoles && (error.status === 400 || error.status === 413);
      if (isTheirs && size > 1) {
        // One of them is refused: smaller reports find out which.
        size = Math.max(1, Math.floor(size / 4));
      } else if (isTheirs) {
        log(`Given up: ${messageOf(error)} ${JSON.stringify({ acknowledgements, intervals, minutes })}`);
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
