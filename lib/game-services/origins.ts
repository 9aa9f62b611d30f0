import { isIP } from "node:net";
import { blockList, SPECIAL_RANGES } from "@/lib/http/special-ranges";
import { MAX_HOSTNAME_LENGTH } from "./hostnames";

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
/** The last label must not be a number: resolvers would read the name as an unusual form of an IPv4 address. */
const ORIGIN_NAME = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$|0x)${LABEL}$`, "i");

/**
 * An origin there would expose what only the edge node or its own network can reach. Documentation ranges are allowed:
 * nobody is there.
 */
const SPECIAL = blockList(SPECIAL_RANGES);
const PRIVATE_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|lan|home\.arpa)$/i;

/** Whether the text names a machine: an IP in its usual form, or a DNS name without a final dot. */
export function isUsableOrigin(host: string): boolean {
  if (isIP(host) !== 0) return !host.includes("%");
  return host.length <= MAX_HOSTNAME_LENGTH && ORIGIN_NAME.test(host);
}

/** Whether an origin is in a range kept from the public internet, or has a name that only a private network knows. */
export function isPrivateOrigin(host: string): boolean {
  const version = isIP(host);
  if (version !== 0) return SPECIAL.check(host, version === 6 ? "ipv6" : "ipv4");
  return !host.includes(".") || PRIVATE_NAME.test(host);
}
