import { networkOf } from "@/lib/http/network";
import { perProcess } from "@/lib/process/per-process";
import type { Payer } from "./admission";
import { PURPOSES, withPlace } from "./shares";

/**
 * Accounts by the hash of their credentials, once the database has confirmed them. Only used for turns, not for access.
 */
const accounts = perProcess("accounts-of-credentials", () => new Map<string, number>());
/** When full, the oldest entry is dropped. */
const MAX_KNOWN = 20_000;

/**
 * The payer of a request with these credentials: their account if this process knows it, else the network that they came
 * from. Made-up credentials therefore gain no extra share.
 */
export function payerOf(hash: string | null, network: string): Payer {
  return (hash === null ? undefined : accounts.get(hash)) ?? network;
}

/**
 * Looks up the row of the credentials with this hash, in the turn of the payer. `accountOf` answers null for a row that is
 * found but does not work any more.
 * @throws BusyError, and whatever `ask` throws.
 */
export async function lookUp<Found>(
  hash: string,
  ip: string | null,
  ask: (hash: string) => Promise<Found | undefined>,
  accountOf: (found: Found) => number | null,
): Promise<Found | undefined> {
  const found = await withPlace(PURPOSES.lookup, payerOf(hash, networkOf(ip)), hash, () => ask(hash));
  const account = found === undefined ? null : accountOf(found);
  if (account === null) forgetAccount(hash);
  else learnAccount(hash, account);
  return found;
}

/** Notes that the credentials with this hash do not work. */
export function forgetAccount(hash: string): void {
  accounts.delete(hash);
}

/** Notes that the credentials with this hash have just worked for the account. */
export function learnAccount(hash: string, accountId: number): void {
  if (accounts.get(hash) === accountId) return;
  accounts.set(hash, accountId);
  if (accounts.size <= MAX_KNOWN) return;
  const [oldest] = accounts.keys();
  if (oldest !== undefined) accounts.delete(oldest);
}
