import { learnAnswers } from "./acknowledge.mjs";
import { isSameOrigin } from "./judge.mjs";
import { ANY_PROTOCOL } from "./minecraft.mjs";
import { pingOrigin } from "./ping.mjs";
import { inTurns } from "./waiting.mjs";
import { leadAgain } from "./ways.mjs";

/** @import { Wanted } from "./judge.mjs" */
/** @import { Node } from "./node.mjs" */

/** Finds out which pings an origin answers, and tells the console. @param {Node} node @param {Wanted} service */
export async function tryBothWays(node, service) {
  const [plain, proxied] = await Promise.all([
    pingOrigin({ ...service, isProxied: false }),
    pingOrigin({ ...service, isProxied: true }),
  ]);
  learnAnswers(node, service, { plain: plain.status !== null, proxied: proxied.status !== null });
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
  await inTurns(inOrder, async (service) => {
    const { latency, status } = await pingOrigin(service);
    if (minute === node.minute) node.latencies.set(service.id, latency);
    const { isProxied } = service;
    const other = status === null && (await pingOrigin({ ...service, isProxied: !isProxied })).status !== null;
    learnAnswers(
      node,
      service,
      isProxied ? { plain: other, proxied: status !== null } : { plain: status !== null, proxied: other },
    );
    keepStatus(node, service, ANY_PROTOCOL, status);
    if (status === null) return;
    for (const protocol of node.statuses.protocolsOf(service.id)) {
      keepStatus(node, service, protocol, (await pingOrigin(service, protocol)).status);
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
