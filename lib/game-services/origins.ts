import { BlockList, isIP } from "node:net";
import { MAX_HOSTNAME_LENGTH } from "./hostnames";

export const ORIGIN_UNUSABLE = "This origin is neither a DNS name nor an IP.";

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
/** The last label must not be a number: resolvers would read the name as an unusual form of an IPv4 address. */
const ORIGIN_NAME = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$|0x)${LABEL}$`, "i");

/** Addresses of the edge node itself or its own network. An origin there would expose what only the node can reach. */
const PRIVATE = new BlockList();
for (const range of [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/4 240.0.0.0/4",
  // The last three embed an IPv4 address, which may be private. Node itself checks ::ffff:10.0.0.1 as IPv4.
  "::/127 fc00::/7 fe80::/10 fec0::/10 ff00::/8 64:ff9b::/96 64:ff9b:1::/48 2002::/16",
].flatMap((line) => line.split(" "))) {
  const [network = "", prefix = ""] = range.split("/");
  PRIVATE.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
}
const PRIVATE_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|lan|home\.arpa)$/i;

/** Whether the text names a machine: an IP in its usual form, or a DNS name without a final dot. */
export function isUsableOrigin(host: string): boolean {
  if (isIP(host) !== 0) return !host.includes("%");
  return host.length <= MAX_HOSTNAME_LENGTH && ORIGIN_NAME.test(host);
}

/** Whether an origin is in a private, loopback or link-local range, or has a name that only such a network knows. */
export function isPrivateOrigin(host: string): boolean {
  const version = isIP(host);
  if (version !== 0) return PRIVATE.check(host, version === 6 ? "ipv6" : "ipv4");
  return !host.includes(".") || PRIVATE_NAME.test(host);
}
