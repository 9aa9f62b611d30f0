import { isIPv6 } from "node:net";

/**
 * What one subscriber is given: an IPv4 address, or the first 64 bits of an IPv6 address, within which a single machine
 * may use a new address for every request.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = "", back] = (address.split("%")[0] ?? "").split("::");
  const groupsOf = (part: string | undefined) => (part ? part.split(":") : []);
  const [head, tail] = [groupsOf(front), groupsOf(back)];
  // An IPv4 address at the end stands for two groups.
  const written = head.length + tail.length + (address.includes(".") ? 1 : 0);
  const zeros = back === undefined ? [] : new Array<string>(Math.max(0, 8 - written)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
