import { log } from "@/lib/process/log";

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
  const { accountId, tokenId, serverId, address, reason, count } = details;
  log("info", event, {
    kind: "security",
    account: accountId,
    token: tokenId,
    server: serverId,
    address,
    reason,
    count,
  });
}
