import { createHash } from "node:crypto";
import { findEmail } from "@/lib/accounts/accounts";
import { verifyPassword } from "@/lib/accounts/passwords";
import { db } from "@/lib/database/client";
import { networkOf } from "@/lib/http/network";
import { securityEvent } from "@/lib/process/security-events";
import { limit, type Policy } from "@/lib/rate-limit";
import { DAY, MINUTE } from "@/lib/time";

const WINDOW = 5 * MINUTE;
/** So long after its end a session still vouches for the address that signed in. */
export const ADDRESS_KEPT = 30 * DAY;

/** Somebody who tries many accounts from one place. */
const PER_ADDRESS: Policy = { name: "sign-in-address", limit: 30, windowMs: WINDOW };
/** Somebody who tries many passwords of one account from one place. */
const PER_ACCOUNT_AND_ADDRESS: Policy = { name: "sign-in-account-address", limit: 10, windowMs: WINDOW };
/** Many places that try one account together. */
const PER_ACCOUNT: Policy = { name: "sign-in-account", limit: 30, windowMs: WINDOW };

/** `passwordHash` is the one that the password fitted: a session starts only while it is still the account's. */
export type Accepted = { accountId: number; passwordHash: string };

export type SignInResult =
  | ({ kind: "accepted" } & Accepted)
  /** An unknown address, a wrong password or a disabled account: deliberately the same. */
  | { kind: "refused" }
  | { kind: "throttled"; waitMs: number };

/** Judges an e-mail and a password. How long that takes does not tell whether there is such an account. */
export async function checkCredentials(
  typedEmail: string,
  password: string,
  address: string | null,
): Promise<SignInResult> {
  // What can be no e-mail is looked up all the same, and found by nobody.
  const email = findEmail(typedEmail) ?? "";
  const [account, knownNetworks] = await Promise.all([
    db.account.findUnique({ where: { email }, select: { id: true, passwordHash: true, disabledAt: true } }),
    listKnownNetworks(email),
  ]);
  const fail = (reason: string) => securityEvent("sign-in failed", { accountId: account?.id ?? null, address, reason });

  const waitMs = await countAttempt(email, address, knownNetworks);
  if (waitMs > 0) {
    fail("too many attempts");
    return { kind: "throttled", waitMs };
  }
  const isRight = await verifyPassword(password, account?.passwordHash ?? null);
  if (!account?.passwordHash || !isRight || account.disabledAt) {
    fail(!account ? "unknown e-mail" : account.disabledAt ? "account disabled" : "wrong password");
    return { kind: "refused" };
  }
  return { kind: "accepted", accountId: account.id, passwordHash: account.passwordHash };
}

/** Counts an attempt and returns 0, or how long to wait when there were too many. */
async function countAttempt(email: string, address: string | null, knownNetworks: Set<string>): Promise<number> {
  const network = address ? networkOf(address) : "unknown";
  // What was typed may be anything, a password by mistake too: the counts are kept under its hash.
  const account = createHash("sha256").update(email).digest("base64url");
  const counts: [Policy, string][] = [
    [PER_ADDRESS, network],
    [PER_ACCOUNT_AND_ADDRESS, `${account} ${network}`],
  ];
  // Where the owner has signed in of late, attempts of strangers elsewhere must not keep the owner out.
  if (!knownNetworks.has(network)) counts.push([PER_ACCOUNT, account]);
  for (const [policy, key] of counts) {
    const decision = await limit(policy, key);
    if (!decision.accepted) return Math.max(1, decision.waitMs);
  }
  return 0;
}

/** The networks that have signed in to the account of late. Asked for unknown addresses too: the same work for both. */
async function listKnownNetworks(email: string): Promise<Set<string>> {
  const sessions = await db.session.findMany({
    where: { account: { email }, expiresAt: { gt: new Date(Date.now() - ADDRESS_KEPT) }, ip: { not: null } },
    select: { ip: true },
    distinct: ["ip"],
  });
  return new Set(sessions.flatMap(({ ip }) => (ip ? [networkOf(ip)] : [])));
}
