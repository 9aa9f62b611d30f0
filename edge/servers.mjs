import { now } from "./clock.mjs";
import { slotName } from "./haproxy-config.mjs";
import { isHostname, sameIp } from "./ips.mjs";
import { DRAIN_TIME } from "./limits.mjs";
import { PlainError } from "./log.mjs";
import { wayOf } from "./ways.mjs";

/** @import { FoundServer, Range } from "./haproxy.mjs" */
/** @import { Wanted } from "./judge.mjs" */
/** @import { Node } from "./node.mjs" */

/**
 * Forgets the servers that HAProxy does not have: it has started anew, or they were deleted.
 * @param {Node} node
 * @param {ReadonlyMap<number, ReadonlyMap<string, FoundServer>>} found
 */
export function forgetServers(node, found) {
  const present = new Set(
    [...found].flatMap(([slot, servers]) => [...servers.keys()].map((name) => serverPath(slot, name))),
  );
  for (const path of node.servers.keys()) if (!present.has(path)) node.servers.delete(path);
}

/**
 * Brings HAProxy from what it serves to `target`. What goes is closed before anything opens, so that no slot ever
 * serves two services. Where the origin of a service changes, its players stay with the one that they have.
 * @param {Node} node
 * @param {Map<number, Wanted>} target
 */
export async function reach(node, target) {
  const [found, hostnames] = [await node.haproxy.servers(), await node.haproxy.hostnames()];
  const leads = new Map([...target].map(([slot, { id, hostname }]) => [hostname, wayOf(node, slot, id)]));
  const slotOf = (/** @type {string | undefined} */ way) => way?.replace(/^[a-z]+_(?=slot)/, "");
  for (const [hostname, way] of hostnames) {
    if (slotOf(leads.get(hostname)) !== slotOf(way) && isHostname(hostname)) await node.haproxy.forget(hostname);
  }
  for (const [slot, servers] of found) {
    const isKept = target.has(slot) && node.slots.get(slot)?.service === target.get(slot)?.id;
    if (isKept) continue;
    for (const [name, { isReady, isDrained }] of servers) {
      if (isReady || isDrained) await node.haproxy.close(slot, name);
      node.servers.delete(serverPath(slot, name));
    }
  }
  for (const slot of node.slots.keys()) if (!target.has(slot)) node.leftAt.set(slot, performance.now());
  node.slots = new Map([...target].map(([slot, { id }]) => [slot, { service: id }]));
  for (const [slot, service] of target) await leadService(node, slot, service, found.get(slot) ?? new Map());
  for (const [hostname, way] of leads) {
    const before = hostnames.get(hostname);
    if (slotOf(before) !== slotOf(way)) await node.haproxy.lead(hostname, way);
    else if (before !== way) await node.haproxy.leadAgain(hostname, way);
  }
  await verify(node, target, leads);
}

/**
 * Has new players of a slot led to its origin, and drains the servers that led elsewhere.
 * @param {Node} node
 * @param {number} slot
 * @param {Wanted} service
 * @param {ReadonlyMap<string, FoundServer>} found
 */
async function leadService(node, slot, { id, ip, port, range, isProxied }, found) {
  const own = [...found].filter(
    ([name, { isReady, isDrained }]) => (isReady || isDrained) && node.servers.has(serverPath(slot, name)),
  );
  const [fits] =
    own.find(([name, server]) => {
      const known = node.servers.get(serverPath(slot, name));
      return leadsTo(server, ip, port) && isSameRange(known?.range, range) && Boolean(known?.isProxied) === isProxied;
    }) ?? [];
  const name = fits ?? `o${++node.lastServer}`;
  node.servers.set(serverPath(slot, name), { service: id, ip, port, range, isProxied, drainedAt: null });
  if (!fits) await node.haproxy.add(slot, name, { ip, port, range, isProxied });
  else if (!found.get(name)?.isReady) await node.haproxy.setState(slot, name, "ready");
  for (const [other, { isReady, isDrained }] of found) {
    if (other === name || (!isReady && !isDrained)) continue;
    const server = node.servers.get(serverPath(slot, other));
    // Not added by this program, as far as it remembers: nobody can say where its players are counted.
    if (!server) await node.haproxy.close(slot, other);
    else if (isReady) {
      await node.haproxy.setState(slot, other, "drain");
      server.drainedAt ??= now();
    }
  }
}

/**
 * @param {Node} node
 * @param {Map<number, Wanted>} target
 * @param {Map<string, string>} leads
 * @throws PlainError when HAProxy serves something else
 */
async function verify(node, target, leads) {
  const [found, hostnames] = [await node.haproxy.servers(), await node.haproxy.hostnames()];
  const isServed = [...target].every(([slot, { ip, port }]) => {
    const ready = [...(found.get(slot) ?? new Map()).values()].filter(({ isReady }) => isReady);
    return ready.length === 1 && leadsTo(ready[0], ip, port);
  });
  const isLed = hostnames.size === leads.size && [...leads].every(([name, way]) => hostnames.get(name) === way);
  if (!isServed || !isLed) throw new PlainError("HAProxy did not take the configuration.");
}

/** Deletes the servers whose last player has left, and closes those that were drained long ago. @param {Node} node */
export async function tidy(node) {
  for (const [slot, servers] of await node.haproxy.servers()) {
    for (const [name, { isReady }] of servers) {
      const path = serverPath(slot, name);
      const server = node.servers.get(path);
      if (isReady || (server && server.drainedAt === null)) continue;
      // Its last bytes are counted: it had no player when the counters were read, and gets none.
      if (node.counters.get(path)?.open === 0) {
        await node.haproxy.remove(slot, name);
        node.servers.delete(path);
      } else if (server) {
        // Drained by a clock that was ahead, it would stay longer.
        server.drainedAt = Math.min(server.drainedAt ?? 0, now());
        if (now() - server.drainedAt >= DRAIN_TIME) await node.haproxy.close(slot, name);
      }
    }
  }
  forgetServers(node, await node.haproxy.servers());
}

/** @param {number} slot @param {string} name */
const serverPath = (slot, name) => `${slotName(slot)}/${name}`;

/** @param {FoundServer} server @param {string} ip @param {number} port */
const leadsTo = (server, ip, port) => sameIp(server.ip, ip) && server.port === port;

/** @param {Range | null | undefined} one @param {Range | null} other */
const isSameRange = (one, other) => one?.first === other?.first && one?.source === other?.source;
