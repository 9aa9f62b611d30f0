import { BlockList } from "node:net";

/**
 * What IANA's special-purpose registries keep from the public internet, documentation apart. `edge/ips.mjs` has a copy,
 * which a test compares.
 */
export const SPECIAL_RANGES: readonly string[] = [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24",
  "192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4",
  "100::/64 2001::/23 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
  // These embed an IPv4 address, which may be private. Node itself checks ::ffff:10.0.0.1 as IPv4.
  "::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16",
].flatMap((line) => line.split(" "));

/** Ranges that stand in examples. Nobody is reached there. */
export const DOCUMENTATION_RANGES: readonly string[] =
  "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20".split(" ");

/** Puts ranges in CIDR notation into a list that can be asked for an ip. */
export function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix = ""] = range.split("/");
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
