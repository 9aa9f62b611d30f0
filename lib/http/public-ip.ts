import { BlockList, isIP } from "node:net";

/** What the special-purpose registries of IANA keep from the public internet. */
const SPECIAL = new BlockList();
for (const range of [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
  "::/127 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 ff00::/8",
].flatMap((line) => line.split(" "))) {
  const [network = "", prefix = ""] = range.split("/");
  SPECIAL.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
}

/** Whether machines elsewhere on the internet could reach this IP. */
export function isPublicIp(ip: string): boolean {
  const version = isIP(ip);
  return version !== 0 && !SPECIAL.check(ip, version === 6 ? "ipv6" : "ipv4");
}
