import { answerClient } from "./answers.mjs";
import { apply } from "./apply.mjs";
import { probeAway } from "./away.mjs";
import { readCounters } from "./counters.mjs";
import { amount, log, logFailure } from "./log.mjs";
import { keepTime } from "./minutes.mjs";
import { preparePacketCounters } from "./packets.mjs";
import { deliver } from "./reports.mjs";
import { Responder } from "./responder.mjs";
import { watchConsole } from "./watch-console.mjs";

/** @import { Node } from "./node.mjs" */

/** Runs a node until it is told to stop. @param {Node} node */
export async function run(node) {
  await node.console.askTime();
  node.load();
  await preparePacketCounters();
  node.haproxyId = await node.haproxy.processId();
  await node.inOrder(() => apply(node));
  const responder = new Responder(node.haproxy.responder, (asked) => answerClient(node, asked));
  await responder.listen();
  log(`This node runs: ${amount(node.wanted.length, "service")} served.`);
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) process.once(signal, () => node.stop.abort());
  await Promise.all([watchConsole(node), deliver(node), keepTime(node), probeAway(node)]);
  responder.close();
  await node.inOrder(() => readCounters(node)).catch((error) => logFailure(error));
  node.save();
  await node.store.writeStatuses(node.statuses);
}
