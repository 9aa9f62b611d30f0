import { type Fields, log } from "@/lib/process/log.mjs";
import { logRepeated } from "@/lib/process/repeated.mjs";

type SecurityEvent =
  | "signed in"
  | "sign-in failed"
  | "signed out"
  | "sessions ended"
  | "password changed"
  | "token created"
  | "token revoked"
  | "token networks changed"
  | "token use refused"
  | "server added"
  | "server removed"
  | "server key replaced"
  | "game service created"
  | "game service deleted"
  | "game service shared"
  | "game service unshared"
  | "support access allowed"
  | "support access ended"
  | "edge node added"
  | "edge node removed"
  | "edge node key replaced"
  | "notice channel added"
  | "notice channel removed"
  | "notice secret replaced";

type Details = {
  /** Null: no account, as at a sign-in with an e-mail that none has. That e-mail is not logged. */
  accountId: number | null;
  tokenId?: number;
  serverId?: number;
  serviceId?: number;
  nodeId?: number;
  ip: string | null;
  reason?: string;
  /** How many tokens, requests or networks the event stands for, where that is not one. */
  count?: number;
};

/**
 * Logs an event that an owner or an operator may have to look into. It never holds user input (no e-mail, no token
 * name) and no secret.
 */
export function securityEvent(event: SecurityEvent, details: Details): void {
  log("info", event, fieldsOf(details));
}

/** As `securityEvent`, for events that anybody can cause at will. Logs one line per ip, then counts. */
export function repeatedSecurityEvent(event: SecurityEvent, details: Details): void {
  logRepeated({ level: "info", event, reason: `${details.reason} ${details.ip}` }, fieldsOf(details));
}

function fieldsOf({ accountId, tokenId, serverId, serviceId, nodeId, ...rest }: Details): Fields {
  const ids = { account: accountId, token: tokenId, server: serverId, service: serviceId, node: nodeId };
  return { kind: "security", ...ids, ...rest };
}
