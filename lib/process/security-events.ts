import { type Fields, log } from "@/lib/process/log";
import { logRepeated } from "@/lib/process/repeated";

export type SecurityEvent =
  | "signed in"
  | "sign-in failed"
  | "signed out"
  | "token created"
  | "token revoked"
  | "all tokens revoked"
  | "token use refused"
  | "server added"
  | "server removed"
  | "server key replaced";

type Details = {
  /** Null: nobody's, as at a sign-in with an address that no account has. That address is not logged. */
  accountId: number | null;
  tokenId?: number;
  serverId?: number;
  address: string | null;
  reason?: string;
  /** How many tokens or requests the event stands for, where that is not one. */
  count?: number;
};

/**
 * Writes one line of JSON about something an owner or an operator may have to look into. Nothing that a stranger typed
 * is in it: no e-mail address, no name of a token, and never a secret.
 */
export function securityEvent(event: SecurityEvent, details: Details): void {
  log("info", event, fieldsOf(details));
}

/** As `securityEvent`, for what a stranger can cause as often as they like: from one address one line, then counts. */
export function repeatedSecurityEvent(event: SecurityEvent, details: Details): void {
  logRepeated({ level: "info", event, reason: `${details.reason} ${details.address}` }, fieldsOf(details));
}

function fieldsOf({ accountId, tokenId, serverId, address, reason, count }: Details): Fields {
  return { kind: "security", account: accountId, token: tokenId, server: serverId, address, reason, count };
}
