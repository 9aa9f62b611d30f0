/**
 * @typedef {{ id: number, version: number, java_hostname: string, origin_host: string, origin_port: number, enabled: boolean,
 *   proxy_protocol?: "v2", offline_text?: string }} Service `offline_text`: what players read while the origin is away.
 *   `proxy_protocol`: the origin is told each player's ip by it; without it, it sees this node's.
 */

/** @typedef {{ id: number, version: number, problem: string }} Held A service whose new version the console itself refuses. */

/** @typedef {{ revision: string, services: Service[], held?: Held[] }} Configuration */

/** @param {unknown} number @param {number} min @param {number} max */
const isWhole = (number, min, max) => Number.isInteger(number) && Number(number) >= min && Number(number) <= max;

/** Whether it is a held service, whole. @param {unknown} value */
export function isHeld(value) {
  const { id, version, problem } = /** @type {Held} */ (value);
  return isWhole(id, 1, 2 ** 31 - 1) && isWhole(version, 0, 2 ** 31 - 1) && typeof problem === "string";
}

/** Whether it is a service, whole. @param {unknown} value */
export function isService(value) {
  const service = /** @type {Service} */ (value);
  return (
    isWhole(service?.id, 1, 2 ** 31 - 1) &&
    // Another writer's new service has version 0.
    isWhole(service.version, 0, 2 ** 31 - 1) &&
    isWhole(service.origin_port, 1, 65_535) &&
    typeof service.java_hostname === "string" &&
    typeof service.origin_host === "string" &&
    typeof service.enabled === "boolean" &&
    [undefined, "v2"].includes(service.proxy_protocol) &&
    ["undefined", "string"].includes(typeof service.offline_text)
  );
}
