import dns from "node:dns";
import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { type InvalidField, invalid } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import { isPrivateOrigin, isUsableOrigin } from "@/lib/game-services/origins";

/** In characters. Addresses of receivers that hold a token have about 150. */
export const MAX_ADDRESS_LENGTH = 1000;

/** One DNS server is asked for this long, in milliseconds. */
const DNS_WAIT = 2 * SECOND;
/** The ports that the web has below 1024. Others there belong to mail, shells and databases, which read what is sent. */
const LOW_PORTS = ["80", "443"];
const FIRST_FREE_PORT = 1024;

/** The receiver is where no message is sent to, now or later. */
export class ForbiddenAddressError extends Error {
  override name = "ForbiddenAddressError";
}

/** DNS did not say where the receiver is. It may say so later. */
export class UnknownAddressError extends Error {
  override name = "UnknownAddressError";
}

/**
 * The address of a receiver, as a person typed it; or what is wrong with it. A name is not looked up: `guardedLookup` does
 * that for each connection. `allowPrivate`: receivers may be in private networks.
 */
export function checkAddress(
  typed: string,
  allowPrivate: boolean,
): { kind: "valid"; url: URL } | InvalidField<"address"> {
  const text = typed.trim();
  if (text === "") return invalid("address", "Paste the URL that messages are sent to.");
  if (text.length > MAX_ADDRESS_LENGTH)
    return invalid("address", `A URL has at most ${MAX_ADDRESS_LENGTH} characters.`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    return invalid("address", "A URL begins with https:// or http://, such as https://example.com/notices.");
  }
  if (url.username !== "" || url.password !== "")
    return invalid("address", "A URL cannot hold a user name or a password.");
  const host = hostOf(url);
  if (!isUsableOrigin(host)) return invalid("address", "The host of this URL is neither a DNS name nor an IP.");
  if (!allowPrivate && isPrivateOrigin(host)) {
    return invalid("address", "This URL leads into a private network, where the console sends nothing.");
  }
  if (url.port !== "" && !LOW_PORTS.includes(url.port) && Number(url.port) < FIRST_FREE_PORT) {
    return invalid("address", "The port of a URL is 80, 443, or 1024 and up.");
  }
  url.hash = "";
  return { kind: "valid", url };
}

/** The hostname or ip of an address, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * How a connection finds its receiver: it gets the very ips that were checked here, so DNS cannot answer the check with one
 * and the connection with another. One private ip among them refuses all. It asks DNS alone, without `/etc/hosts` and the
 * threads that other work of this process needs. Node does not call it for an ip, which `checkAddress` has checked.
 */
export function guardedLookup(allowPrivate: boolean, signal: AbortSignal): LookupFunction {
  return (host, options, callback) => {
    findIps(host, allowPrivate, signal).then(
      (ips) => {
        const found = ips.map((address) => ({ address, family: isIP(address) }));
        if (options.all) callback(null, found);
        else callback(null, found[0]?.address ?? "", found[0]?.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

/** @throws ForbiddenAddressError, UnknownAddressError */
async function findIps(host: string, allowPrivate: boolean, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_WAIT, tries: 1 });
  // Those that the process was given, if it was given any.
  resolver.setServers(dns.getServers());
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const ips = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (ips.length === 0) throw new UnknownAddressError(`${host} cannot be found in DNS.`);
    if (!allowPrivate && ips.some(isPrivateOrigin)) {
      throw new ForbiddenAddressError(`${host} leads into a private network, where the console sends nothing.`);
    }
    return ips;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
