import { apply } from "./apply.mjs";
import { watchOrigins } from "./away.mjs";
import { now, startOfMinute } from "./clock.mjs";
import { readCounters } from "./counters.mjs";
import { NOTHING, sum } from "./intervals.mjs";
import { MINUTE, READ_EVERY, SECOND } from "./limits.mjs";
import { amount, log, logFailure } from "./log.mjs";
import { setPacketCounters } from "./packets.mjs";
import { pingAll } from "./ping-origins.mjs";
import { tidy } from "./servers.mjs";
import { sleep } from "./waiting.mjs";

/** @import { Node } from "./node.mjs" */

/** Reads counters, closes minutes, pings origins, and sees when HAProxy starts anew, until the end. @param {Node} node */
export async function keepTime(node) {
  let readAt = now();
  let seenId = node.haproxyId;
  while (!node.stop.signal.aborted) {
    await sleep(SECOND / 2, node.stop.signal);
    await separately(async () => {
      // A clock that was set back a little catches up with the minute that was begun.
      const ahead = startOfMinute(now()) - node.minute;
      if (ahead > 0 || ahead < -2 * MINUTE) await node.inOrder(() => endMinute(node));
      else if (Math.abs(now() - readAt) >= READ_EVERY) {
        readAt = now();
        await node.inOrder(() => readAndSave(node));
      }
    });
    await separately(async () => {
      if (node.pinged !== node.minute) {
        node.pinged = node.minute;
        void pingAll(node);
      }
      await watchOrigins(node);
    });
    await separately(async () => {
      const id = await node.haproxy.processId();
      if (id !== node.haproxyId) {
        if (id !== seenId) log("HAProxy has started anew; applying everything again.");
        seenId = id;
        await node.inOrder(() => apply(node));
        node.haproxyId = id;
      }
    });
  }
}

/** A part of the work that fails does not hold up the others. @param {() => Promise<void>} task */
async function separately(task) {
  try {
    await task();
  } catch (error) {
    logFailure(error);
  }
}

/** @param {Node} node */
async function readAndSave(node) {
  await readCounters(node);
  await tidy(node);
  node.save();
}

/** @param {Node} node */
async function endMinute(node) {
  // The minute has what could be read of it.
  await separately(() => readCounters(node));
  node.lastMinute = sum(node.current.values());
  node.closeMinute(node.minute, node.current);
  node.minute = startOfMinute(now());
  // A served service has an interval for each minute, even one in which nothing happens.
  node.current = new Map([...node.slots.values()].map(({ service }) => [service, { ...NOTHING }]));
  node.latencies = new Map();
  node.save();
  // Somebody may have flushed the rules of nftables.
  await separately(() => setPacketCounters([...node.servers.values()]));
  try {
    // Names of origins may lead elsewhere by now.
    await apply(node);
  } finally {
    tellMinute(node);
  }
}

/** @param {Node} node */
function tellMinute(node) {
  const errors = [...node.acknowledgements.values()].filter(({ error }) => error !== null).length;
  const { connections, bytes, dropped } = node.lastMinute;
  log(
    `${amount(node.wanted.length, "service")} served, ${errors} with an error; last minute ${amount(connections, "connection")}, ` +
      `${amount(bytes, "byte")}, ${dropped} dropped; console ${node.isReachable ? "reachable" : "away"}, ` +
      `${amount(node.spool.length, "interval")} to deliver.`,
  );
}
