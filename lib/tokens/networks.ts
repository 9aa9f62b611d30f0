import { isIP } from "node:net";
import { type InvalidField, invalid } from "@/lib/failures";
import { groupsOf, isIPv4InIPv6, maskOf, writeIPv4 } from "@/lib/http/network";

/** The most networks of one token. */
export const MAX_NETWORKS = 20;
/** In characters, with room for more networks than a token may have. The field keeps what was typed. */
export const MAX_NETWORKS_TEXT = 8192;

type Family = { name: "IPv4" | "IPv6"; widest: number; single: number };
const IPV4: Family = { name: "IPv4", widest: 8, single: 32 };
const IPV6: Family = { name: "IPv6", widest: 16, single: 128 };

type Network = { family: Family; groups: readonly number[]; prefix: number };
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
  const groups = groupsOf(ip);
  return networks.some((text) => {
    const parsed = parseNetwork(text);
    if ("problem" in parsed) return false;
    const { network } = parsed;
    return (
      network.groups.length === groups.length &&
      groups.every((group, index) => (group & maskOf(network.prefix, index)) === network.groups[index])
    );
  });
}

/** The same networks and those of `more` that hold another ip, as many as a token may have. */
export function mergeNetworks(networks: readonly string[], more: readonly string[]): string[] {
  const merged = [...networks];
  for (const text of more) {
    const parsed = parseNetwork(text);
    if ("problem" in parsed || merged.length >= MAX_NETWORKS) continue;
    const { network } = parsed;
    if (!merged.some((known) => isWithin(network, known))) merged.push(write(network));
  }
  return merged;
}

function isWithin({ groups, family, prefix }: Network, wider: string): boolean {
  const parsed = parseNetwork(wider);
  return "network" in parsed && parsed.network.prefix <= prefix && isInside([wider], writeIp(family, groups));
}

/** The longest network is `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128`. */
const MAX_NETWORK_TEXT = 49;

function parseNetwork(text: string): Parsed {
  const shown = text.length > MAX_NETWORK_TEXT ? `${text.slice(0, MAX_NETWORK_TEXT)}…` : text;
  const [, ip = "", digits] = /^([\d.]+|[\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? [];
  const family = { 0: null, 4: IPV4, 6: IPV6 }[isIP(ip)];
  const prefix = Number(digits ?? family?.single);
  if (text.length > MAX_NETWORK_TEXT || !family || prefix > family.single) {
    return { problem: `“${shown}” is not a network. Write one such as 203.0.113.0/24 or 2001:db8::/32.` };
  }
  const groups = groupsOf(ip);
  // The ip of an IPv4 client is always read as IPv4, so it would never be inside.
  if (family === IPV6 && (ip.includes(".") || isIPv4InIPv6(groups))) {
    return { problem: `“${shown}” is IPv4 written as IPv6. Write it as IPv4, such as 203.0.113.0/24.` };
  }
  if (prefix < family.widest) {
    return { problem: `“${shown}” is too wide. An ${family.name} network has at least /${family.widest}.` };
  }
  const network = { family, groups: groups.map((group, index) => group & maskOf(prefix, index)), prefix };
  if (groups.some((group, index) => group !== network.groups[index])) {
    return { problem: `“${shown}” is an ip within a network. The network is ${write(network)}.` };
  }
  return { network };
}

function write({ family, groups, prefix }: Network): string {
  return `${writeIp(family, groups)}/${prefix}`;
}

function writeIp(family: Family, groups: readonly number[]): string {
  if (family === IPV4) return writeIPv4(groups);
  // The platform knows the shortest form.
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]`).hostname.slice(1, -1);
}
