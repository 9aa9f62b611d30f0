import { isIP } from "node:net";
import { MAX_HOSTNAME_LENGTH } from "./hostnames";

export const ORIGIN_UNUSABLE = "This origin is neither a DNS name nor an IP.";

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
/** A name whose last label is no number, or it would be read as an IPv4 in one of its odd forms. */
const ORIGIN_NAME = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$|0x)${LABEL}$`, "i");

/** Whether the text names a machine: an IP in its usual form, or a DNS name without a final dot. */
export function isUsableOrigin(host: string): boolean {
  if (isIP(host) !== 0) return !host.includes("%");
  return host.length <= MAX_HOSTNAME_LENGTH && ORIGIN_NAME.test(host);
}
