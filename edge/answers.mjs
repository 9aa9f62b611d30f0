import { SECOND } from "./limits.mjs";
import { pingOrigin } from "./ping.mjs";
import { keepStatus } from "./ping-origins.mjs";
import { AWAY_TEXT, awayStatus, SOON_TEXT, UNKNOWN_TEXT } from "./statuses.mjs";
import { sleep } from "./waiting.mjs";

/** @import { Wanted } from "./judge.mjs" */
/** @import { Asked } from "./minecraft.mjs" */
/** @import { Node } from "./node.mjs" */

/** What a client that HAProxy sent here gets; null asks for the text of the old ping. @param {Node} node @param {Asked | null} asked */
export function answerClient(node, asked) {
  const service = asked && node.wanted.find(({ hostname }) => hostname === asked.hostname);
  if (!asked || !service) return asked?.isPing ? awayStatus(null, UNKNOWN_TEXT) : UNKNOWN_TEXT;
  const { id } = service;
  const isAway = node.away.has(id);
  const text = node.served.get(id)?.service.offline_text;
  node.count(id, asked.isPing ? "answered" : "dropped");
  if (!asked.isPing) return isAway ? text || AWAY_TEXT : SOON_TEXT;
  if (!node.statuses.knows(id, asked.protocol)) void learnProtocol(node, service, asked.protocol);
  const status = node.statuses.find(id, asked.protocol);
  return isAway || status === null ? awayStatus(status, isAway ? text : SOON_TEXT) : status;
}

/** Asks an origin with the version of the protocol that a client brought, one a second for all its services. @param {Node} node @param {Wanted} service @param {number} protocol */
async function learnProtocol(node, service, protocol) {
  const origin = `${service.ip} ${service.port}`;
  if (node.away.has(service.id) || node.learning.has(origin)) return;
  node.learning.add(origin);
  keepStatus(node, service, protocol, (await pingOrigin(service, protocol)).status);
  await sleep(SECOND, node.stop.signal);
  node.learning.delete(origin);
}
