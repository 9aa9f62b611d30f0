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
  const kept = groupsOf(ip)
    .slice(0, Math.ceil(bits / GROUP_BITS))
    .map((group, index) => group & maskOf(bits, index));
  return `${kept.map((group) => group.toString(16)).join(":")}::/${bits}`;
}

const GROUP_BITS = 16;

/** An ip as groups of 16 bits: two of IPv4, eight of IPv6. */
export function groupsOf(ip: string): number[] {
  const [front = "", back] = (ip.split("%")[0] ?? "").split("::");
  const [head, tail] = [front, back ?? ""].map((part) => part.split(":").filter(Boolean).flatMap(readGroups));
  const written = [...(head ?? []), ...(tail ?? [])].length;
  const zeros = back === undefined ? [] : new Array<number>(Math.max(0, 8 - written)).fill(0);
  return [...(head ?? []), ...zeros, ...(tail ?? [])];
}

/** IPv4, alone or at the end of IPv6, stands for two groups. */
function readGroups(text: string): number[] {
  if (!text.includes(".")) return [Number.parseInt(text, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** Whether the groups are those of `::ffff:0:0/96`, where IPv4 stands in IPv6. */
export function isIPv4InIPv6(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

/** The groups of IPv4 as text. */
export function writeIPv4(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join(".");
}

/** A mask that keeps what the first `bits` bits of an ip have of this group. */
export function maskOf(bits: number, index: number): number {
  const kept = bits - GROUP_BITS * index;
  return kept >= GROUP_BITS ? 0xffff : kept <= 0 ? 0 : (0xffff << (GROUP_BITS - kept)) & 0xffff;
}
