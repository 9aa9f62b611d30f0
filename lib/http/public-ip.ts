import { isIP } from "node:net";
import { blockList, DOCUMENTATION_RANGES, SPECIAL_RANGES } from "./special-ranges";

const NOT_PUBLIC = blockList([...SPECIAL_RANGES, ...DOCUMENTATION_RANGES]);

/** Whether machines elsewhere on the internet could reach this IP. */
export function isPublicIp(ip: string): boolean {
  const version = isIP(ip);
  return version !== 0 && !NOT_PUBLIC.check(ip, version === 6 ? "ipv6" : "ipv4");
}
