import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Whether a text is a DNS name in lower case: nothing else is ever written to HAProxy's socket as a hostname. */
export function isHostname(/** @type {unknown} */ text) {
  return typeof text === "string" && text.length <= 253 && text.split(".").every((label) => LABEL.test(label));
}

/** The console's own list, word for word (its `special-ranges.ts`). */
export const SPECIAL_RANGES = [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24",
  "192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4",
  "100::/64 2001::/23 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
  // These embed an IPv4 address, which may be private.
  "::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16",
].flatMap((line) => line.split(" "));
const SPECIAL = new BlockList();
for (const range of SPECIAL_RANGES) {
  const [network = "", prefix] = range.split("/");
  SPECIAL.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
}

/** The ranges that the console refuses as well. @param {string} ip */
export const isPrivate = (ip) => SPECIAL.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");

/**
 * The one spelling of an ip: the shortest for IPv6, and IPv4 for one that is embedded in IPv6 (::ffff:192.0.2.1). Null for
 * any other text, and for an ip with a zone.
 * @param {string} text
 * @returns {string | null}
 */
export function canonicalIp(text) {
  if (isIP(text) === 4) return text;
  if (isIP(text) !== 6 || text.includes("%")) return null;
  const ip = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(ip) ?? [];
  if (!high || !low) return ip;
  return [high, low].flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join(".");
}

/** The ips under which this machine reaches itself. */
export function ownIps() {
  const infos = Object.values(networkInterfaces()).flat();
  return new Set(["0.0.0.0", "::", ...infos.flatMap((info) => canonicalIp(info?.address ?? "") ?? [])]);
}

/**
 * HAProxy may write an IPv6 ip in another form.
 * @param {string} one
 * @param {string} other
 */
export const sameIp = (one, other) => canonicalIp(one) === canonicalIp(other);
