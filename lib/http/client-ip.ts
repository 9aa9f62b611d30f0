import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isPublicIp } from "./public-ip";

/**
 * The trusted ip of a request. The server appends the peer's ip to X-Forwarded-For, and each of the `trustedProxies`
 * appended the ip of its own peer. Anything further left is the client's claim. Null when the header is absent or holds
 * no ip in that place.
 */
export function clientIp(headers: Headers, trustedProxies: number): string | null {
  const chain = chainOf(headers);
  const ip = chain.at(-1 - trustedProxies) ?? chain[0];
  return ip === undefined ? null : findIp(ip);
}

/**
 * Whether the ip of this browser's request may be that of a proxy in front, which every client then has: the ips of
 * X-Forwarded-For are not as many as `trustedProxies` says, or the page was opened over https, which the console itself
 * does not speak, and comes from an ip that is not public without a known proxy.
 */
export function mayBeProxyIp(headers: Headers, trustedProxies: number, isHttps: boolean): boolean {
  const ip = clientIp(headers, trustedProxies);
  const isBehindUnknown = isHttps && trustedProxies === 0 && ip !== null && !isPublicIp(ip);
  return ip === null || chainOf(headers).length !== trustedProxies + 1 || isBehindUnknown;
}

function chainOf(headers: Headers): string[] {
  return (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** The longest way to write an ip, with a zone and a port. */
const MAX_LENGTH = 100;

/** Some proxies add a port, and a dual-stack socket writes 192.0.2.1 as ::ffff:192.0.2.1. */
function findIp(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const withoutPort = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const ip = withoutPort.replace(/%.*$/, "").toLowerCase();
  return isIP(ip) === 0 ? null : asIPv4(ip);
}

/** Each request pays for this, so an ip is read only where it may hold IPv4. */
function asIPv4(ip: string): string {
  const read = ip.includes(":ffff:") ? ipaddr.process(ip) : null;
  return read?.kind() === "ipv4" ? read.toString() : ip;
}
