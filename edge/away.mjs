import { difference } from "./intervals.mjs";
import { AWAY_AFTER, SECOND, SILENT_TIME } from "./limits.mjs";
import { log } from "./log.mjs";
import { ANY_PROTOCOL } from "./minecraft.mjs";
import { pingOrigin } from "./ping.mjs";
import { byOrigin, keepStatus } from "./ping-origins.mjs";
import { sleep } from "./waiting.mjs";
import { leadAgain } from "./ways.mjs";

/** @import { Wanted } from "./judge.mjs" */
/** @import { Node } from "./node.mjs" */

/** Notices the origins to which players could not be connected. @param {Node} node */
export async function watchOrigins(node) {
  if (!node.isAnswering) return;
  const counted = await node.haproxy.failures();
  const next = new Map();
  for (const [path, { service, drainedAt }] of node.servers) {
    const now = counted.get(path);
    if (drainedAt !== null || !now) continue;
    const before = node.failures.get(path) ?? { ...now, inARow: 0 };
    // An origin whose bytes come is there. Failures of the same half second count in the next one.
    const isHeard = now.bytes !== before.bytes;
    const inARow = (isHeard ? 0 : before.inARow) + difference(now.failed, before.failed);
    const isAway = !isHeard && inARow >= AWAY_AFTER;
    next.set(path, { ...now, inARow: isAway ? 0 : inARow });
    if (!isAway || node.away.has(service)) continue;
    log(`The origin of service ${service} is away.`);
    node.away.set(service, { reachedAt: null });
    await leadAgain(node, service);
  }
  node.failures = next;
}

/** Asks the origins that are away every second whether they are back, until the end. @param {Node} node */
export async function probeAway(node) {
  /** Origins, each asked once for all its services. @type {Set<string>} */
  const asked = new Set();
  while (!node.stop.signal.aborted) {
    await sleep(SECOND, node.stop.signal);
    for (const id of node.away.keys()) if (!node.wanted.some((one) => one.id === id)) node.away.delete(id);
    for (const services of byOrigin(node.wanted.filter(({ id }) => node.away.has(id)))) {
      const [first] = /** @type {[Wanted]} */ (services);
      const key = `${first.ip} ${first.port}`;
      if (asked.has(key)) continue;
      asked.add(key);
      void askAll(node, services).then(() => asked.delete(key));
    }
  }
}

/** Asks the origin of these services, one way after the other. @param {Node} node @param {readonly Wanted[]} services */
async function askAll(node, services) {
  for (const way of [false, true]) {
    const ofWay = services.filter(({ isProxied }) => isProxied === way);
    if (!ofWay[0]) continue;
    const found = await pingOrigin(ofWay[0]);
    for (const service of ofWay) learnOfAway(node, service, found);
  }
}

/** @param {Node} node @param {Wanted} service @param {{ isConnected: boolean, status: string | null }} found */
function learnOfAway(node, service, { isConnected, status }) {
  const away = node.away.get(service.id);
  if (!away) return;
  const at = performance.now();
  away.reachedAt = isConnected ? (away.reachedAt ?? at) : null;
  const isMute = !node.statuses.has(service.id) || at - (away.reachedAt ?? at) >= SILENT_TIME;
  if (status === null && !(isConnected && isMute)) return;
  log(`The origin of service ${service.id} is back.`);
  keepStatus(node, service, ANY_PROTOCOL, status);
  node.away.delete(service.id);
  void leadAgain(node, service.id);
}
