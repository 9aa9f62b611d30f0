import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

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

/** The first bits of an IPv6 ip, written without the groups behind them. */
function prefixOf(ip: string, bits: 48 | 56 | 64): string {
  const { parts } = ipaddr.IPv6.networkAddressFromCIDR(`${ip.split("%")[0]}/${bits}`);
  const kept = parts.slice(0, Math.ceil(bits / 16));
  return `${kept.map((part) => part.toString(16)).join(":")}::/${bits}`;
}
