import { isSameOrigin } from "./judge.mjs";
import { MAX_ERROR } from "./limits.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Wanted } from "./judge.mjs" */
/** @import { Node } from "./node.mjs" */
/** @import { Answers } from "./ping.mjs" */

/**
 * Says of each service which version this node serves, and why not a newer one.
 * @param {Node} node
 * @param {Configuration} configuration
 * @param {ReadonlyMap<number, string>} errors
 */
export function acknowledge(node, { services, held = [] }, errors) {
  const all = [...services, ...held];
  const present = new Set(all.map(({ id }) => id));
  for (const id of node.applied) if (!present.has(id)) node.gone.add(id);
  for (const id of present) node.gone.delete(id);
  node.applied = present;
  const versions = new Map(node.wanted.map(({ id, version }) => [id, version]));
  node.acknowledgements = new Map(
    all.map(({ id, version }) => {
      const error = errors.get(id)?.slice(0, MAX_ERROR) ?? null;
      const serving_version = versions.get(id) ?? null;
      return [id, { service_id: id, version, error, serving_version, warning: warningOf(node, id) }];
    }),
  );
  for (const id of node.gone) node.acknowledgements.set(id, { service_id: id, version: null, error: null });
}

/** What the owner should know of a service that is served. @param {Node} node @param {number} id */
function warningOf(node, id) {
  const served = node.served.get(id);
  const service = node.wanted.find((one) => one.id === id);
  if (!served || !service) return null;
  const warnings = [];
  if (served.lostSince) {
    const since = `${new Date(served.lostSince).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const name = served.service.origin_host;
    warnings.push(`${name} has not been found in DNS since ${since}; this node goes on with ${served.ip}.`);
  }
  const answers = node.answers.get(id);
  if (answers) warnings.push(...warningsOfPings(answers, service.isProxied));
  return warnings.join(" ") || null;
}

/**
 * Keeps which pings an origin answers, and what its owner should know of it.
 * @param {Node} node
 * @param {Wanted} service
 * @param {Answers} answers
 */
export function learnAnswers(node, service, answers) {
  // It may have changed during the ping.
  if (!node.wanted.some((one) => one.id === service.id && isSameOrigin(one, service))) return;
  node.answers.set(service.id, answers);
  const said = node.acknowledgements.get(service.id);
  if (said?.warning === undefined) return;
  // A report that is under way carries the one before.
  node.acknowledgements.set(service.id, { ...said, warning: warningOf(node, service.id) });
}

/**
 * What the owner should know of how an origin answers. Players get in the way in which the service is set up alone.
 * @param {Answers} answers
 * @param {boolean} isProxied
 */
function warningsOfPings({ plain, proxied }, isProxied) {
  if (isProxied ? proxied : plain) return [];
  if (!plain && !proxied)
    return ["The origin does not answer a status ping, neither with PROXY protocol v2 nor without it."];
  return isProxied
    ? [
        "The origin answers without PROXY protocol v2 only: switch it on there, or real ips off here. Until then nobody can join.",
      ]
    : [
        "The origin answers with PROXY protocol v2 only: switch real ips on here, or it off there. Until then nobody can join.",
      ];
}
