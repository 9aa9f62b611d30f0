import { createHash } from "node:crypto";
import { findEmail } from "@/lib/accounts/accounts";
import { verifyPassword } from "@/lib/accounts/passwords";
import { BusyError } from "@/lib/admission/busy-error";
import { PURPOSES, refusedFor, withPlace } from "@/lib/admission/shares";
import { db } from "@/lib/database/client";
import { networkOf, widerNetworksOf } from "@/lib/http/network";
import { repeatedSecurityEvent, securityEvent } from "@/lib/process/security-events";
import { limit, type Policy } from "@/lib/rate-limit";
import { DAY, MINUTE, SECOND } from "@/lib/time";

const WINDOW = 5 * MINUTE;
/** So long after its end a session still vouches for the ip that signed in. */
const IP_KEPT = 30 * DAY;
const MAX_KNOWN_IPS = 200;

/** Somebody who tries many accounts from one place. */
const PER_NETWORK: Policy = { name: "sign-in-network", limit: 30, windowMs: WINDOW };
/** The same from the many networks that one home, or one site, has of IPv6. The owner of a known network still gets in. */
const PER_HOME: Policy = { name: "sign-in-home", limit: 60, windowMs: WINDOW };
const PER_SITE: Policy = { name: "sign-in-site", limit: 120, windowMs: WINDOW };
/** Somebody who tries many passwords of one account from one place. */
const PER_ACCOUNT_AND_NETWORK: Policy = { name: "sign-in-account-network", limit: 10, windowMs: WINDOW };
/** Many places that try one account together. */
const PER_ACCOUNT: Policy = { name: "sign-in-account", limit: 30, windowMs: WINDOW };

/** `passwordHash` is the one that the password fitted: a session starts only while it is still the account's. */
export type Accepted = { accountId: number; passwordHash: string };

export type SignInResult =
  | ({ kind: "accepted" } & Accepted)
  /** An unknown e-mail, a wrong password or a disabled account: deliberately the same. */
  | { kind: "refused" }
  /** Too many attempts by somebody, or too many at once by all. */
  | { kind: "throttled"; waitMs: number };

/** Judges an e-mail and a password. How long that takes does not tell whether there is such an account. */
export async function checkCredentials(email: string, password: string, ip: string | null): Promise<SignInResult> {
  try {
    return await withPlace(PURPOSES.signIn, networkOf(ip), "", () => judge(email, password, ip));
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    repeatedSecurityEvent("sign-in failed", { accountId: null, ip, reason: "too many at once" });
    return { kind: "throttled", waitMs: error.retrySeconds * SECOND };
  }
}

/** For how long, in milliseconds, an attempt from this ip would find too many others before it; 0: it would be judged. */
export function signInRefusedFor(ip: string | null): number {
  return refusedFor(PURPOSES.signIn, networkOf(ip));
}

async function judge(typedEmail: string, password: string, ip: string | null): Promise<SignInResult> {
  // What can be no e-mail is looked up all the same, and found by nobody.
  const email = findEmail(typedEmail) ?? "";
  const network = networkOf(ip);
  // What was typed may be anything, a password by mistake too: the counts are kept under its hash.
  const account = createHash("sha256").update(email).digest("base64url");
  const tooManyAttempts = (accountId: number | null, waitMs: number): SignInResult => {
    repeatedSecurityEvent("sign-in failed", { accountId, ip, reason: "too many attempts" });
    return { kind: "throttled", waitMs };
  };

  const tooMany =
    (await count(PER_NETWORK, network)) || (await count(PER_ACCOUNT_AND_NETWORK, `${account} ${network}`));
  if (tooMany > 0) return tooManyAttempts(null, tooMany);

  const tooManyNearby = await countNearby(ip);
  const [row, knownNetworks] = await withPlace(PURPOSES.signInLookup, network, "", () =>
    Promise.all([
      db.account.findUnique({ where: { email }, select: { id: true, passwordHash: true, disabledAt: true } }),
      listKnownNetworks(email),
    ]),
  );
  const isKnown = knownNetworks.has(network);
  // Not judged at all: one home has 256 networks, whose attempts together would take all the time there is.
  if (tooManyNearby > 0 && !isKnown) return tooManyAttempts(null, tooManyNearby);
  // Where the owner has signed in of late, attempts of strangers elsewhere must not keep the owner out. A stranger there
  // is told what everybody is told, after the same work: that the right password would do must not show.
  const tooManyForAccount = await count(PER_ACCOUNT, account);
  // Where the account is known from, its owner waits in the account's turn and not in that of the network.
  const isRight = await verifyPassword(password, row?.passwordHash ?? null, (isKnown && row?.id) || network);
  const mayEnter = tooManyForAccount === 0 || isKnown;
  if (row?.passwordHash && isRight && !row.disabledAt && mayEnter) {
    return { kind: "accepted", accountId: row.id, passwordHash: row.passwordHash };
  }
  const accountId = row?.id ?? null;
  if (tooManyForAccount > 0) return tooManyAttempts(accountId, tooManyForAccount);
  const reason = !row ? "unknown e-mail" : row.disabledAt ? "account disabled" : "wrong password";
  securityEvent("sign-in failed", { accountId, ip, reason });
  return { kind: "refused" };
}

/** As `count`, for the home and the site around the network. Returns the longer of both waits. */
async function countNearby(ip: string | null): Promise<number> {
  const wider = widerNetworksOf(ip);
  return wider ? Math.max(await count(PER_HOME, wider.home), await count(PER_SITE, wider.site)) : 0;
}

/** Counts an attempt and returns 0, or how long to wait in milliseconds when there were too many. */
async function count(policy: Policy, key: string): Promise<number> {
  const decision = await limit(policy, key);
  return decision.accepted ? 0 : Math.max(1, decision.waitMs);
}

/** The networks that have signed in to the account of late. Asked for unknown e-mails too: the same work for both. */
async function listKnownNetworks(email: string): Promise<Set<string>> {
  const sessions = await db.session.findMany({
    where: { account: { email }, expiresAt: { gt: new Date(Date.now() - IP_KEPT) }, ip: { not: null } },
    select: { ip: true },
    distinct: ["ip"],
    orderBy: { expiresAt: "desc" },
    take: MAX_KNOWN_IPS,
  });
  return new Set(sessions.flatMap(({ ip }) => (ip ? [networkOf(ip)] : [])));
}
