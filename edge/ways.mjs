import { AWAY, KEPT, slotName } from "./haproxy-config.mjs";
import { logFailure } from "./log.mjs";

/** @import { Node } from "./node.mjs" */

/** Where the hostname of a service leads now. @param {Node} node @param {number} slot @param {number} service */
export function wayOf(node, slot, service) {
  if (!node.isAnswering) return slotName(slot);
  if (node.away.has(service)) return AWAY + slotName(slot);
  return node.statuses.has(service) ? KEPT + slotName(slot) : slotName(slot);
}

/** Has the hostname of a service lead where it should by now. @param {Node} node @param {number} id */
export function leadAgain(node, id) {
  return node
    .inOrder(async () => {
      const [slot] = [...node.slots].find(([, { service }]) => service === id) ?? [];
      const hostname = node.wanted.find((one) => one.id === id)?.hostname;
      if (slot === undefined || !hostname) return;
      const way = wayOf(node, slot, id);
      const before = (await node.haproxy.hostnames()).get(hostname);
      // A missing hostname is added by the next turn.
      if (before !== undefined && before !== way) await node.haproxy.leadAgain(hostname, way);
    })
    .catch((error) => logFailure(error));
}
