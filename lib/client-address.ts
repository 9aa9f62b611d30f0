/** The longest textual IPv6 address, with a zone. */
const MAX_LENGTH = 64;

/**
 * The address a request came from, as far as it can be believed: the server appends the peer's address to
 * X-Forwarded-For, each of the `trustedProxies` in front of it appended the one before, and whatever stands further
 * left is the client's own claim. Null when the header is absent.
 */
export function clientAddress(headers: Headers, trustedProxies: number): string | null {
  const chain = (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const address = chain.at(-1 - trustedProxies) ?? chain[0];
  return address ? withoutMappedPrefix(address).slice(0, MAX_LENGTH) : null;
}

/** `::ffff:192.0.2.1` is how a dual-stack socket writes 192.0.2.1. */
function withoutMappedPrefix(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
