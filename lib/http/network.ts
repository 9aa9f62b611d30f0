import { isIPv6 } from "node:net";

/**
 * What one subscriber is given: an IPv4 ip, or the first 64 bits of an IPv6 one, within which a single machine may use a
 * new ip for every request. Null, for an ip that is not known, is a network of its own.
 */
export function networkOf(ip: string | null): string {
  if (ip === null) return "unknown";
  if (!isIPv6(ip)) return ip;
  const [front = "", back] = (ip.split("%")[0] ?? "").split("::");
  const groupsOf = (part: string | undefined) => (part ? part.split(":") : []);
  const [head, tail] = [groupsOf(front), groupsOf(back)];
  // IPv4 at the end stands for two groups.
  const written = head.length + tail.length + (ip.includes(".") ? 1 : 0);
  const zeros = back === undefined ? [] : new Array<string>(Math.max(0, 8 - written)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
