import { isIPv6 } from "node:net";

/**
 * The network of one subscriber: an IPv4 ip, or the first 64 bits of an IPv6 ip, because one machine may use all ips
 * within them. Requests without a known ip (null) share one network.
 */
export function networkOf(ip: string | null): string {
  if (ip === null) return "unknown";
  return isIPv6(ip) ? prefixOf(ip, 64) : ip;
}

/** The wider IPv6 networks that providers assign to a home (56 bits) and to a site (48 bits). Null for IPv4. */
export function widerNetworksOf(ip: string | null): { home: string; site: string } | null {
  return ip !== null && isIPv6(ip) ? { home: prefixOf(ip, 56), site: prefixOf(ip, 48) } : null;
}

/** The widest network that one sender may have to itself: an IPv4 ip, or the first 48 bits of an IPv6 ip. */
export function siteOf(ip: string | null): string {
  return widerNetworksOf(ip)?.site ?? networkOf(ip);
}

/** The first bits of an IPv6 ip, at most 64 of them. */
function prefixOf(ip: string, bits: 48 | 56 | 64): string {
  const [front = "", back] = (ip.split("%")[0] ?? "").split("::");
  const groupsOf = (part: string | undefined) => (part ? part.split(":") : []);
  const [head, tail] = [groupsOf(front), groupsOf(back)];
  // IPv4 at the end stands for two groups.
  const written = head.length + tail.length + (ip.includes(".") ? 1 : 0);
  const zeros = back === undefined ? [] : new Array<string>(Math.max(0, 8 - written)).fill("0");
  const numbers = [...head, ...zeros, ...tail].slice(0, 4).map((group) => Number.parseInt(group, 16));
  const kept = numbers.map((number, index) => number & maskOf(bits - 16 * index)).slice(0, Math.ceil(bits / 16));
  return `${kept.map((number) => number.toString(16)).join(":")}::/${bits}`;
}

/** A mask for the first `bits` bits of a 16-bit group. */
function maskOf(bits: number): number {
  return bits >= 16 ? 0xffff : bits <= 0 ? 0 : (0xffff << (16 - bits)) & 0xffff;
}
