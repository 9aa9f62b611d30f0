import { learnAnswers } from "./acknowledge.mjs";
import { isSameOrigin } from "./judge.mjs";
import { MINUTE } from "./limits.mjs";
import { ANY_PROTOCOL } from "./minecraft.mjs";
import { pingOrigin } from "./ping.mjs";
import { inTurns } from "./waiting.mjs";
import { leadAgain } from "./ways.mjs";

/** @import { Wanted } from "./judge.mjs" */
/** @import { Node } from "./node.mjs" */

/**
 * The services of each origin. An origin may limit connections by ip, and sees this node alone: its services are one probe.
 * @param {readonly Wanted[]} services
 */
export function byOrigin(services) {
  /** @type {Map<string, Wanted[]>} */
  const origins = new Map();
  for (const service of services) {
    const key = `${service.ip} ${service.port}`;
    origins.set(key, [...(origins.get(key) ?? []), service]);
  }
  return [...origins.values()];
}

/**
 * Pings an origin in the way of its first service, and in the other way where that fails or another service has it.
 * `answers`: which of the two it answers.
 * @param {readonly Wanted[]} services
 */
async function probe([first, ...others]) {
  const { isProxied } = /** @type {Wanted} */ (first);
  const own = await pingOrigin(/** @type {Wanted} */ (first));
  const second = others.find((one) => one.isProxied !== isProxied);
  const other =
    own.status === null || second
      ? await pingOrigin({ .../** @type {Wanted} */ (second ?? first), isProxied: !isProxied })
      : null;
  const [plain, proxied] = isProxied ? [other, own] : [own, other];
  const answers = { plain: (plain?.status ?? null) !== null, proxied: (proxied?.status ?? null) !== null };
  return { plain, proxied, answers };
}

/** Finds out which pings an origin answers, and tells the console. @param {Node} node @param {readonly Wanted[]} services those of an origin */
export async function tryBothWays(node, services) {
  const { answers } = await probe(services);
  for (const service of services) learnAnswers(node, service, answers);
}

/**
 * Pings the origin of each service: for its latency, for its answers, and for how it wants to be reached.
 * @param {Node} node
 */
export async function pingAll(node) {
  const minute = node.minute;
  const isSilent = (/** @type {Wanted} */ { id }) => {
    const { plain, proxied } = node.answers.get(id) ?? { plain: true, proxied: true };
    return Number(!plain && !proxied);
  };
  // Those that were silent take longest. They come last, so that the others are measured within their minute.
  const inOrder = [...node.wanted].sort((one, other) => isSilent(one) - isSilent(other));
  await inTurns(byOrigin(inOrder), async (services) => {
    const { answers, ...found } = await probe(services);
    for (const service of services) {
      const { latency, status } = (service.isProxied ? found.proxied : found.plain) ?? { latency: null, status: null };
      if (minute === node.minute) node.latencies.set(service.id, latency);
      learnAnswers(node, service, answers);
      keepStatus(node, service, ANY_PROTOCOL, status);
    }
    const [first] = services.filter(({ isProxied }) => (isProxied ? answers.proxied : answers.plain));
    if (!first) return;
    // One version of the protocol a minute, in turn.
    const protocols = [...new Set(services.flatMap(({ id }) => [...node.statuses.protocolsOf(id)]))];
    const protocol = protocols[Math.floor(minute / MINUTE) % protocols.length];
    if (protocol === undefined) return;
    const { status } = await pingOrigin(first, protocol);
    for (const service of services) {
      if (node.statuses.knows(service.id, protocol)) keepStatus(node, service, protocol, status);
    }
  });
  await node.store.writeStatuses(node.statuses);
}

/**
 * Keeps an answer of an origin that is still the one of the service.
 * @param {Node} node
 * @param {Wanted} service
 * @param {number} protocol
 * @param {string | null} status null: the last one stays
 */
export function keepStatus(node, service, protocol, status) {
  if (status === null || !node.wanted.some((one) => one.id === service.id && isSameOrigin(one, service))) return;
  const isFirst = !node.statuses.has(service.id);
  node.statuses.keep(service.id, protocol, status);
  if (isFirst) void leadAgain(node, service.id);
}
