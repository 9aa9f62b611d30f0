import { domainToASCII } from "node:url";
import { type InvalidField, invalid } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import { containsToken } from "@/lib/tokens/format";
import { isPublicHostname, MAX_HOSTNAME_LENGTH } from "./hostnames";
import { isPrivateOrigin, isUsableOrigin } from "./origins";

/** In characters as people count them (code points). */
const MAX_NAME_LENGTH = 64;

export type ServiceField = "name" | "javaHostname" | "originHost" | "originPort";
/** The fields of a service, as its owner typed them. */
export type ServiceInput = Record<ServiceField, string>;
export type CheckedService = { name: string; javaHostname: string; originHost: string; originPort: number };

/** The console's own hostnames, and whether origins may be in private networks. */
export type ServiceRules = { ownHosts: readonly string[]; allowPrivateOrigins: boolean };

/** The checked input, or the error of the first invalid field. */
export function checkService(
  input: ServiceInput,
  rules: ServiceRules,
): { kind: "valid"; service: CheckedService } | InvalidField<ServiceField> {
  const name = normalName(input.name);
  const javaHostname = input.javaHostname.trim().toLowerCase().replace(/\.$/, "");
  const originHost = input.originHost
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  const originPort = input.originPort.trim();
  const problems: Record<ServiceField, string | null> = {
    name: problemOfName(name),
    javaHostname: problemOfHostname(javaHostname, rules),
    originHost: problemOfOrigin(originHost, rules),
    originPort: problemOfPort(originPort),
  };
  for (const field of ["name", "javaHostname", "originHost", "originPort"] as const) {
    const message = problems[field];
    if (message !== null) return invalid(field, message);
  }
  return { kind: "valid", service: { name, javaHostname, originHost, originPort: Number(originPort) } };
}

/** Why a text, as `normalName` answers it, can be no name of a service or of an edge node; null when it can. */
export function problemOfName(name: string): string | null {
  if (name === "") return "Enter a name.";
  if (containsToken(name)) return "That looks like a token or a key. Enter a name.";
  return nameProblem("name", name, MAX_NAME_LENGTH);
}

function problemOfHostname(hostname: string, { ownHosts }: ServiceRules): string | null {
  if (hostname === "") return "Enter the public hostname.";
  if (containsToken(hostname)) return "That looks like a token or a key. Enter the public hostname.";
  if (hostname.length > MAX_HOSTNAME_LENGTH) {
    return `A hostname has at most ${MAX_HOSTNAME_LENGTH} characters; this one has ${hostname.length}.`;
  }
  if (hostname.includes("*")) return "A public hostname is one name. Wildcards are not possible.";
  if (/[^\p{ASCII}]/u.test(hostname)) {
    const ascii = domainToASCII(hostname);
    const hint = isPublicHostname(ascii) ? ` This one is ${ascii}; look at it closely before you use it.` : "";
    return `Write international letters in their ASCII form, which begins with xn--.${hint}`;
  }
  if (!isPublicHostname(hostname)) {
    return "A public hostname is a DNS name such as play.example.com: letters, digits and hyphens, with dots between its parts.";
  }
  return ownHosts.includes(hostname) ? "This hostname is the console's own." : null;
}

function problemOfOrigin(host: string, { ownHosts, allowPrivateOrigins }: ServiceRules): string | null {
  if (host === "") return "Enter the hostname or the ip of the origin.";
  if (containsToken(host)) return "That looks like a token or a key. Enter the hostname or the ip of the origin.";
  if (host.length > MAX_HOSTNAME_LENGTH) {
    return `A hostname has at most ${MAX_HOSTNAME_LENGTH} characters; this one has ${host.length}.`;
  }
  if (!isUsableOrigin(host)) {
    return "The origin is a DNS name such as origin.example.com, or an IP such as 192.0.2.80, without a port.";
  }
  if (ownHosts.includes(host.toLowerCase())) return "This is the console's own hostname or IP, not an origin.";
  if (!allowPrivateOrigins && isPrivateOrigin(host)) {
    return "This origin is in a private, loopback or link-local network, which edge nodes cannot reach.";
  }
  return null;
}

function problemOfPort(port: string): string | null {
  if (port === "") return "Enter the port of the origin; Minecraft uses 25565.";
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  return isPort ? null : "A port is a whole number from 1 to 65535.";
}
