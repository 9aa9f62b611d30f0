import { now } from "./clock.mjs";
import { canonicalIp, isHostname, isPrivate, ownIps, sameIp } from "./ips.mjs";
import { PING_TIME, SECOND } from "./limits.mjs";
import { messageOf, PlainError } from "./log.mjs";

/** @import { Configuration, Service } from "./configuration.mjs" */
/** @import { Range, Server } from "./haproxy.mjs" */
/** @import { Names } from "./names.mjs" */
/** @import { Origins } from "./own-ports.mjs" */

/**
 * @typedef {{ service: Service, ip: string, lostSince: number | null, isOff: boolean }} Served The last version that worked, the
 *   ip of its origin, since when the name of the origin has not been found, and whether the owner disabled it since.
 */

/**
 * @typedef {{ id: number, version: number, hostname: string, ip: string, port: number, range: Range | null,
 *   isProxied: boolean }} Wanted A service that this node can serve now. `isProxied`: by PROXY protocol v2.
 */

/**
 * Finds the ip of a service's origin. The one in use stays while DNS still names it, and for as long as the name is not
 * found.
 * @param {Service} service
 * @param {Served | undefined} served the version in use
 * @param {{ allowPrivate: boolean, listenPort: number, names: Names, deadline: Promise<null> }} options `deadline`: a
 *   name that is in use is not waited for any longer
 * @returns {Promise<{ ip: string, lostSince: number | null }>}
 * @throws PlainError that the owner reads as the service's error
 */
async function resolveOrigin(service, served, { allowPrivate, listenPort, names, deadline }) {
  const { origin_port: port } = service;
  const host = service.origin_host.toLowerCase();
  const current = served?.service.origin_host.toLowerCase() === host ? served : undefined;
  const numeric = canonicalIp(host);
  if (numeric === null && !isHostname(host)) throw new PlainError("The origin is neither an ip nor a hostname.");
  const answer =
    numeric === null ? await Promise.race([names.find(host), deadline]) : { ips: [numeric], isWhole: true };
  if (answer === null && current) return { ip: current.ip, lostSince: current.lostSince };
  if (answer === null || answer.ips.length === 0) {
    if (!current) throw new PlainError(`The origin ${host} cannot be found in DNS.`);
    return { ip: current.ip, lostSince: current.lostSince ?? now() };
  }
  const allowed = answer.ips.filter((ip) => allowPrivate || !isPrivate(ip));
  if (allowed.length === 0) throw new PlainError(`The origin ${host} is a private ip, which this node does not serve.`);
  const own = ownIps();
  // Also when the name has further ips: those of other nodes, which would send players back here.
  if (port === listenPort && allowed.some((ip) => own.has(ip) || ip.startsWith("127."))) {
    throw new PlainError("The origin is this node itself.");
  }
  const stays = current && (allowed.includes(current.ip) || !answer.isWhole);
  return { ip: stays ? current.ip : /** @type {string} */ (allowed[0]), lostSince: null };
}

/**
 * What of a configuration this node can serve, and what stands in the way of the rest. Where a new version cannot be
 * served, the last servable version goes on.
 * @param {Configuration} configuration
 * @param {{ allowPrivate: boolean, listenPort: number, names: Names, served: ReadonlyMap<number, Served>,
 *   servers: ReadonlyMap<number, Server> }} options `servers`: of each service that has one, that which takes new players
 * @param {Origins} origins
 */
export async function judge({ services, held = [] }, { served, servers, ...rules }, origins) {
  // A look-up that began at once has ended by then: silence is an answer, too.
  const deadline = new Promise((resolve) => setTimeout(() => resolve(null), PING_TIME + SECOND).unref());
  const options = { ...rules, deadline: /** @type {Promise<null>} */ (deadline) };
  /** @type {Map<number, Wanted>} */
  const wanted = new Map();
  /** @type {Map<number, Served>} */
  const next = new Map();
  /** @type {Map<number, string>} */
  const errors = new Map();
  const hostnames = new Set();
  const take = async (
    /** @type {Service} */ service,
    /** @type {{ ip: string, lostSince: number | null }} */ { ip, lostSince },
  ) => {
    const { id, version, java_hostname: hostname, origin_port: port } = service;
    if (!isHostname(hostname)) throw new PlainError("The public hostname is no DNS name.");
    if (hostnames.has(hostname)) throw new PlainError("Another service has this public hostname.");
    const server = servers.get(id);
    const isSame = server && sameIp(server.ip, ip) && server.port === port;
    const range = await origins.take(id, ip, port, isSame ? server.range : undefined);
    hostnames.add(hostname);
    wanted.set(id, { id, version, hostname, ip, port, range, isProxied: service.proxy_protocol === "v2" });
    next.set(id, { service, ip, lostSince, isOff: false });
  };

  // Services that are served already come first, so that a new one takes nothing from them.
  const byAge = (/** @type {{ id: number }} */ one, /** @type {{ id: number }} */ other) =>
    Number(servers.has(other.id) || served.has(other.id)) - Number(servers.has(one.id) || served.has(one.id)) ||
    one.id - other.id;
  const enabled = services.filter(({ enabled }) => enabled).sort(byAge);
  const found = await Promise.allSettled(
    enabled.map(async (service) => resolveOrigin(service, served.get(service.id), options)),
  );
  for (const [index, service] of enabled.entries()) {
    const origin = /** @type {PromiseSettledResult<{ ip: string, lostSince: number | null }>} */ (found[index]);
    try {
      if (origin.status === "rejected") throw origin.reason;
      await take(service, origin.value);
    } catch (error) {
      errors.set(service.id, messageOf(error));
    }
  }
  for (const { id, problem } of held) errors.set(id, problem);
  for (const id of [...errors.keys()]) {
    const last = served.get(id);
    if (!last || last.isOff) continue;
    try {
      await take(last.service, await resolveOrigin(last.service, last, options).catch(() => last));
    } catch {
      // Its hostname or its room is somebody else's by now; the error says why the new version is not served.
    }
  }
  for (const { id } of [...services, ...held]) {
    const last = served.get(id);
    // The ip that its name had is remembered; the version itself is not served again.
    if (last && !next.has(id)) next.set(id, { ...last, isOff: last.isOff || !errors.has(id) });
  }
  return { wanted: [...wanted.values()], served: next, errors };
}

/**
 * Whether a service leads to the same end in the same way.
 * @param {Wanted | undefined} one @param {Wanted} other
 */
export const isSameOrigin = (one, other) =>
  one?.ip === other.ip &&
  one.port === other.port &&
  one.isProxied === other.isProxied &&
  one.hostname === other.hostname;
