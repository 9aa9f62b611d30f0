import { NOTHING_COUNTED } from "./haproxy.mjs";
import { slotName } from "./haproxy-config.mjs";
import { difference, NOTHING } from "./intervals.mjs";
import { logFailure } from "./log.mjs";
import { readPackets, setPacketCounters } from "./packets.mjs";

/** @import { ServerCounters } from "./haproxy.mjs" */
/** @import { Node } from "./node.mjs" */

/** Adds to the current minute what was counted since the last reading. @param {Node} node */
export async function readCounters(node) {
  const { counters, refused, hasJoins, isAnswering } = await node.haproxy.counters();
  [node.hasJoins, node.isAnswering] = [hasJoins, isAnswering];
  const packets = await packetsOf(node);
  const slotOf = new Map([...node.slots].map(([slot, { service }]) => [slotName(slot), service]));
  /** What each service had since. @type {Map<number, ServerCounters>} */
  const since = new Map();
  for (const [path, now] of counters) {
    const service = slotOf.get(path.replace(/\/.*/, ""));
    if (service === undefined) continue;
    const before = node.counters.get(path) ?? NOTHING_COUNTED;
    // HAProxy has started anew, and its counters with it.
    const isNew = now.sessions < before.sessions || now.attempts < before.attempts || now.bytes < before.bytes;
    const sum = since.get(service) ?? { ...NOTHING_COUNTED };
    for (const name of /** @type {const} */ (["sessions", "attempts", "failed", "bytes", "joins"])) {
      sum[name] += isNew ? now[name] : now[name] - (before[name] ?? 0);
    }
    sum.waiting += now.waiting - (isNew ? 0 : (before.waiting ?? 0));
    sum.players += now.players;
    since.set(service, sum);
  }
  let overRate = 0;
  for (const [service, { sessions, waiting, attempts, failed, bytes, joins, players }] of since) {
    const over = sessions - waiting - attempts;
    overRate += over;
    const { connections, dropped, pings } = settle(node, service, {
      connections: attempts - failed,
      // Each session that did not become a connection to the origin.
      dropped: over + failed,
      pings: attempts - joins,
    });
    const of = node.current.get(service) ?? { ...NOTHING };
    node.current.set(service, {
      ...of,
      joins: of.joins + joins,
      pings: of.pings + pings,
      players,
      packets: of.packets + difference(packets.get(service) ?? 0, node.packetCounters.get(service) ?? 0),
      bytes: of.bytes + Math.max(0, bytes),
      dropped: of.dropped + dropped,
      connections: of.connections + connections,
    });
  }
  node.counters = counters;
  node.packetCounters = packets;
  // HAProxy's frontend counts what its backends refuse as well, which is a service's.
  node.refused += Math.max(0, difference(refused, node.refusedBefore) - overRate);
  node.refusedBefore = refused;
}

/**
 * The packets of each service. Where somebody else flushed the rules they are made again; until then the last numbers stand.
 * @param {Node} node
 */
async function packetsOf(node) {
  try {
    return (await readPackets()).packets;
  } catch (error) {
    logFailure(error);
    await setPacketCounters([...node.servers.values()]).catch((again) => logFailure(again));
    return (await readPackets().catch(() => null))?.packets ?? node.packetCounters;
  }
}

/**
 * What a service had since the last reading. A connection that fails after it was counted makes a number negative, which is
 * taken from the next ones.
 * @param {Node} node
 * @param {number} service
 * @param {{ connections: number, dropped: number, pings: number }} counted
 */
function settle(node, service, counted) {
  const owed = node.owed.get(service) ?? { connections: 0, dropped: 0, pings: 0 };
  const settled = { ...counted };
  for (const name of /** @type {const} */ (["connections", "dropped", "pings"])) {
    const sum = counted[name] + owed[name];
    settled[name] = Math.max(0, sum);
    owed[name] = Math.min(0, sum);
  }
  node.owed.set(service, owed);
  return settled;
}
