import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { type InvalidField, invalid } from "@/lib/failures";

/** The most networks of one token. */
export const MAX_NETWORKS = 20;
/**
 * In characters: more than the longest networks that a token may have. The field keeps what was typed, and a page without
 * scripts brings it twice.
 */
export const MAX_NETWORKS_TEXT = 4096;

/** The widest network that a token may have, and the prefix of a single ip, in bits. */
const PREFIXES = { ipv4: { name: "IPv4", widest: 8, single: 32 }, ipv6: { name: "IPv6", widest: 16, single: 128 } };

type Network = [ip: ipaddr.IPv4 | ipaddr.IPv6, prefix: number];
type Parsed = { network: Network } | { problem: string };

/**
 * The networks that a person typed, in any order between spaces, commas or lines, as they are stored; or what is wrong with
 * them. An ip alone is the network of that ip. No networks: the token works from everywhere.
 */
export function checkNetworks(text: string): { kind: "valid"; networks: string[] } | InvalidField<"networks"> {
  const typed = text.split(/[\s,]+/).filter(Boolean);
  if (typed.length > MAX_NETWORKS) {
    return invalid("networks", `A token can have at most ${MAX_NETWORKS} networks. These are ${typed.length}.`);
  }
  const networks: string[] = [];
  for (const one of typed) {
    const parsed = parseNetwork(one);
    if ("problem" in parsed) return invalid("networks", parsed.problem);
    const written = write(parsed.network);
    if (networks.includes(written)) return invalid("networks", `${written} is there twice.`);
    networks.push(written);
  }
  return { kind: "valid", networks };
}

/**
 * Whether a request from this ip is inside one of the networks. An unknown ip (null) is outside, and text that
 * `checkNetworks` would refuse holds no ip.
 */
export function isInside(networks: readonly string[], ip: string | null): boolean {
  if (ip === null || isIP(ip) === 0) return false;
  const parsed = ipaddr.parse(ip);
  return networks.some((text) => holds(text, [parsed, PREFIXES[parsed.kind()].single]));
}

/** The same networks and those of `more` that hold another ip, as many as a token may have. */
export function mergeNetworks(networks: readonly string[], more: readonly string[]): string[] {
  const merged = [...networks];
  for (const text of more) {
    const parsed = parseNetwork(text);
    if ("problem" in parsed || merged.length >= MAX_NETWORKS) continue;
    if (!merged.some((known) => holds(known, parsed.network))) merged.push(write(parsed.network));
  }
  return merged;
}

/** Whether the network in `text` holds a whole other one. */
function holds(text: string, [ip, prefix]: Network): boolean {
  const parsed = parseNetwork(text);
  if ("problem" in parsed) return false;
  const [wider, bits] = parsed.network;
  return wider.kind() === ip.kind() && bits <= prefix && ip.match(wider, bits);
}

/** The longest network is `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128`. */
const MAX_NETWORK_TEXT = 49;

function parseNetwork(text: string): Parsed {
  const shown = text.length > MAX_NETWORK_TEXT ? `${text.slice(0, MAX_NETWORK_TEXT)}…` : text;
  const [, typed = "", digits] = /^([\d.]+|[\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
  const ip = text.length <= MAX_NETWORK_TEXT && isIP(typed) !== 0 ? ipaddr.parse(typed) : null;
  const { name, widest, single } = PREFIXES[ip?.kind() ?? "ipv4"];
  const prefix = Number(digits ?? single);
  if (ip === null || prefix > single) {
    return { problem: `“${shown}” is not a network. Write one such as 203.0.113.0/24 or 2001:db8::/32.` };
  }
  // The ip of an IPv4 client is always read as IPv4, so it would never be inside.
  if ("isIPv4MappedAddress" in ip && (typed.includes(".") || ip.isIPv4MappedAddress())) {
    return { problem: `“${shown}” is IPv4 written as IPv6. Write it as IPv4, such as 203.0.113.0/24.` };
  }
  if (prefix < widest) return { problem: `“${shown}” is too wide. An ${name} network has at least /${widest}.` };
  const family = ip.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = family.networkAddressFromCIDR(`${ip}/${prefix}`);
  if (`${first}` !== `${ip}`) {
    return { problem: `“${shown}” is an ip within a network. The network is ${write([first, prefix])}.` };
  }
  return { network: [first, prefix] };
}

function write([ip, prefix]: Network): string {
  return `${ip}/${prefix}`;
}
