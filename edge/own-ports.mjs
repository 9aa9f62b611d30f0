import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { canonicalIp, ownIps } from "./ips.mjs";
import { RANGE_SIZE, RANGES } from "./limits.mjs";
import { PlainError } from "./log.mjs";
import { originKey } from "./packets.mjs";

/** @import { Range, Server } from "./haproxy.mjs" */

/** Where the servers of HAProxy lead, and from which own ports. */
export class Origins {
  /** The services of each origin and range. @type {Map<string, number>} */
  #users = new Map();
  /** @type {Set<number> | undefined} */
  #usable;

  /** @param {Iterable<Server>} servers those that there are */
  constructor(servers) {
    for (const { service, ip, port, range } of servers) this.#users.set(originKey(ip, port, range?.first), service);
  }

  /**
   * How a service leaves for an origin: from any port where no other service does, otherwise from a range of its own.
   * @param {number} service
   * @param {string} ip
   * @param {number} port
   * @param {Range | null | undefined} current how it leaves for this origin now, if it does
   * @returns {Promise<Range | null>}
   * @throws PlainError when no range is left
   */
  async take(service, ip, port, current) {
    const isOwn = (/** @type {number | undefined} */ first) => {
      const user = this.#users.get(originKey(ip, port, first));
      return user === undefined || user === service;
    };
    if (current !== undefined && isOwn(current?.first) && (!current || ownIps().has(current.source))) return current;
    if (isOwn(undefined)) {
      this.#users.set(originKey(ip, port), service);
      return null;
    }
    this.#usable ??= usableRanges();
    const source = await sourceOf(ip, port);
    const first = [...this.#usable].find(isOwn);
    if (!first || !source) {
      throw new PlainError(
        "This node has no room for another service with this origin. Choose another origin, or ask support.",
      );
    }
    this.#users.set(originKey(ip, port, first), service);
    return { source, first };
  }
}

/** The ranges of own ports in which nothing listens, and from which Linux takes no ports for other clients. */
function usableRanges() {
  const [low = 0, high = 0] = (readText("/proc/sys/net/ipv4/ip_local_port_range").match(/\d+/g) ?? []).map(Number);
  const listening = ["tcp", "tcp6"].flatMap((name) => {
    const rows = readText(`/proc/net/${name}`).matchAll(/^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:0000 0A /gm);
    return Array.from(rows, ([, port = ""]) => Number.parseInt(port, 16));
  });
  return new Set(
    RANGES.filter((first) => {
      const last = first + RANGE_SIZE - 1;
      return (last < low || first > high) && !listening.some((port) => port >= first && port <= last);
    }),
  );
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * The own ip from which this machine reaches another one. Nothing is sent.
 * @param {string} ip
 * @param {number} port
 * @returns {Promise<string | null>}
 */
function sourceOf(ip, port) {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(ip) ? "udp6" : "udp4");
    const end = (/** @type {string | null} */ source) => {
      socket.close();
      resolve(source);
    };
    socket.on("error", () => end(null));
    socket.connect(port, ip, () => end(canonicalIp(socket.address().address)));
  });
}
