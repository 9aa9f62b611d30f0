import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { canonicalIp } from "./ips.mjs";
import { NAMES_AT_ONCE, PING_TIME, SECOND } from "./limits.mjs";

/** @typedef {{ ips: string[], isWhole: boolean }} Answer `isWhole`: both IPv4 and IPv6 were answered. No ips: not found. */

/** Looks up names, each once at a time. One whose servers are silent keeps nobody else waiting. */
export class Names {
  /** Those that are looked up now. @type {Map<string, Promise<Answer>>} */
  #asked = new Map();
  /** @type {(() => void)[]} */
  #waiting = [];
  #free = NAMES_AT_ONCE;

  /** @param {string} host @returns {Promise<Answer>} never fails */
  find(host) {
    const asked = this.#asked.get(host) ?? this.#find(host).finally(() => this.#asked.delete(host));
    this.#asked.set(host, asked);
    return asked;
  }

  /** @param {string} host @returns {Promise<Answer>} */
  async #find(host) {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(() => resolve(null)));
    try {
      return await lookUp(host);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/**
 * The ips of a name: those of /etc/hosts, or those in DNS, IPv4 first.
 * @param {string} host
 * @returns {Promise<Answer>}
 */
async function lookUp(host) {
  const known = ipsOfHostsFile(host);
  if (known.length > 0) return { ips: known, isWhole: true };
  // A new one each time, because the name servers of this machine may change. It does not use the threads that
  // requests to the console need.
  const resolver = new Resolver({ timeout: SECOND, tries: 2 });
  const timer = setTimeout(() => resolver.cancel(), PING_TIME);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  const ips = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? answer.value.flatMap((ip) => canonicalIp(ip) ?? []).sort() : [],
  );
  const isWhole = answers.every(
    ({ status, ...answer }) => status === "fulfilled" || /** @type {any} */ (answer).reason?.code === "ENODATA",
  );
  return { ips: [...new Set(ips)], isWhole };
}

/** @param {string} host */
function ipsOfHostsFile(host) {
  try {
    const lines = readFileSync("/etc/hosts", "utf8").split("\n");
    return lines.flatMap((line) => {
      const [ip = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
      return names.includes(host) ? (canonicalIp(ip) ?? []) : [];
    });
  } catch {
    return [];
  }
}
