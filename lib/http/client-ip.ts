import { isIP } from "node:net";

/**
 * The address a request came from, as far as it can be believed: the server appends the peer's address to
 * X-Forwarded-For, each of the `trustedProxies` in front of it appended the one before, and whatever stands further
 * left is the client's own claim. Null when the header is absent or holds no address in that place.
 */
export function clientAddress(headers: Headers, trustedProxies: number): string | null {
  const chain = (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const address = chain.at(-1 - trustedProxies) ?? chain[0];
  return address === undefined ? null : parseAddress(address);
}

/** The longest way to write an ip, with a zone and a port. */
const MAX_LENGTH = 100;

/** Some proxies add a port, and a dual-stack socket writes 192.0.2.1 as ::ffff:192.0.2.1. */
function parseAddress(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const withoutPort = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = withoutPort.replace(/%.*$/, "").toLowerCase();
  return isIP(address) === 0 ? null : asIPv4(address);
}

function asIPv4(address: string): string {
  const [, dotted] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? [];
  if (!high || !low) return dotted ?? address;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
