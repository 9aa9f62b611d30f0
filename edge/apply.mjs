import { acknowledge } from "./acknowledge.mjs";
import { readCounters } from "./counters.mjs";
import { isSameOrigin, judge } from "./judge.mjs";
import { SLOT_REST } from "./limits.mjs";
import { logFailure } from "./log.mjs";
import { Origins } from "./own-ports.mjs";
import { setPacketCounters } from "./packets.mjs";
import { byOrigin, tryBothWays } from "./ping-origins.mjs";
import { forgetServers, reach } from "./servers.mjs";
import { inTurns } from "./waiting.mjs";

/** @import { Wanted } from "./judge.mjs" */
/** @import { Node } from "./node.mjs" */

/** Makes HAProxy and nftables serve the configuration. Does nothing where both do already. @param {Node} node */
export async function apply(node) {
  if (!node.configuration) return;
  forgetServers(node, await node.haproxy.servers());
  const current = [...node.servers.values()].filter(({ drainedAt }) => drainedAt === null);
  const { wanted, served, errors } = await judge(
    node.configuration,
    {
      allowPrivate: node.allowPrivate,
      listenPort: node.listenPort,
      names: node.names,
      served: node.served,
      servers: new Map(current.map((server) => [server.service, server])),
    },
    new Origins(node.servers.values()),
  );
  await readCounters(node);
  const target = assign(node, wanted, errors);
  const known = new Map(node.wanted.map((service) => [service.id, service]));
  for (const service of target.values()) {
    // Another origin may be there.
    if (!isSameOrigin(known.get(service.id), service)) node.away.delete(service.id);
  }
  const inUse = new Set([...target.values()].map(({ id }) => id));
  // From here on the hostnames that are no longer served get no status answer.
  node.wanted = node.wanted.filter(({ id }) => inUse.has(id));
  await reach(node, target);
  const before = new Map(node.wanted.map((service) => [service.id, service]));
  node.wanted = wanted.filter(({ id }) => inUse.has(id));
  const changed = node.wanted.filter((service) => !isSameOrigin(before.get(service.id), service));
  for (const id of node.answers.keys()) if (!inUse.has(id)) node.answers.delete(id);
  for (const { id } of changed) node.answers.delete(id);
  node.statuses.keepOnly(inUse);
  // The pings of a minute that are about to begin ask them as well.
  if (node.pinged === node.minute) void inTurns(byOrigin(changed), (services) => tryBothWays(node, services));
  for (const { id } of wanted) if (!inUse.has(id) && !node.served.has(id)) served.delete(id);
  node.served = served;
  // Without counters players are served all the same.
  await setPacketCounters([...node.servers.values()]).catch((error) => logFailure(error));
  const counted = new Set([...node.servers.values()].map(({ service }) => service));
  for (const id of node.packetCounters.keys()) if (!counted.has(id)) node.packetCounters.delete(id);
  acknowledge(node, node.configuration, errors);
  node.save();
}

/**
 * Gives each service a slot: the one that it has, or a free one.
 * @param {Node} node
 * @param {readonly Wanted[]} wanted
 * @param {Map<number, string>} errors gets an error for each service that finds no slot
 */
function assign(node, wanted, errors) {
  const known = new Set([...node.counters.keys()].flatMap((path) => Number(/^slot_(\d+)$/.exec(path)?.[1] ?? 0) || []));
  const bySlot = new Map([...node.slots].map(([slot, { service }]) => [service, slot]));
  /** @type {Map<number, Wanted>} */
  const target = new Map();
  const free = [...known]
    .filter((slot) => !node.slots.has(slot) && performance.now() - (node.leftAt.get(slot) ?? -SLOT_REST) >= SLOT_REST)
    .sort((a, b) => b - a);
  for (const service of wanted) {
    const own = bySlot.get(service.id);
    const slot = own && known.has(own) ? own : free.pop();
    if (slot) target.set(slot, service);
    else errors.set(service.id, "This node has no free slot: its HAProxy needs a configuration with more (--slots).");
  }
  return target;
}
