import { createHash } from "node:crypto";
import { findEmail } from "@/lib/accounts/accounts";
import { verifyPassword } from "@/lib/accounts/passwords";
import { db } from "@/lib/database/client";
import { waitText } from "@/lib/format/relative-time";
import { DAY, MINUTE, SECOND } from "@/lib/format/time";
import { networkOf, widerNetworksOf } from "@/lib/http/network";
import { BusyError, fair } from "@/lib/process/fair";
import { repeatedSecurityEvent, securityEvent } from "@/lib/process/security-events";
import { limit, type Policy } from "@/lib/rate-limit";

const WINDOW = 5 * MINUTE;
/** For this long after its end, a session still marks its ip as known to the account. */
const IP_KEPT = 30 * DAY;
const MAX_KNOWN_IPS = 200;

/** Limits an attacker who tries many accounts from one network. */
const PER_NETWORK: Policy = { name: "sign-in-network", limit: 30, windowMs: WINDOW };
/** With IPv6, one home or site has many networks: these limits cover them all. Networks that the account knows pass. */
const PER_HOME: Policy = { name: "sign-in-home", limit: 60, windowMs: WINDOW };
const PER_SITE: Policy = { name: "sign-in-site", limit: 120, windowMs: WINDOW };
/** Limits an attacker who tries many passwords of one account from one network. */
const PER_ACCOUNT_AND_NETWORK: Policy = { name: "sign-in-account-network", limit: 10, windowMs: WINDOW };
/** Limits attackers who try one account from many networks. */
const PER_ACCOUNT: Policy = { name: "sign-in-account", limit: 30, windowMs: WINDOW };

/** `passwordHash` is the hash that matched. A session starts only while the account still has this hash. */
export type Accepted = { accountId: number; passwordHash: string };

type SignInResult =
  | ({ kind: "accepted" } & Accepted)
  /** Unknown e-mail, wrong password and disabled account share one answer, so that it does not reveal accounts. */
  | { kind: "refused" }
  /** One sender made too many attempts, or the console is busy: with what to say about it and when to try again. */
  | { kind: "throttled"; message: string };

/** Checks an e-mail and a password. The time it takes does not reveal whether the account exists. */
export async function checkCredentials(email: string, password: string, ip: string | null): Promise<SignInResult> {
  try {
    return await fair("signIn", networkOf(ip), () => judge(email, password, ip));
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    repeatedSecurityEvent("sign-in failed", { accountId: null, ip, reason: "too many at once" });
    return { kind: "throttled", message: busyText(error) };
  }
}

/** What a form says that found too many others waiting. */
export function busyText({ retrySeconds }: BusyError): string {
  return `The console is busy. Try again in ${waitText(retrySeconds * SECOND)}.`;
}

async function judge(typedEmail: string, password: string, ip: string | null): Promise<SignInResult> {
  // Invalid e-mails do the same work as valid ones: no account has an empty e-mail.
  const email = findEmail(typedEmail) ?? "";
  const network = networkOf(ip);
  // People type passwords into this field by mistake, so the rate limits only store a hash of it.
  const account = createHash("sha256").update(email).digest("base64url");
  const tooManyAttempts = (accountId: number | null, waitMs: number): SignInResult => {
    repeatedSecurityEvent("sign-in failed", { accountId, ip, reason: "too many attempts" });
    return { kind: "throttled", message: `Too many attempts. Try again in ${waitText(waitMs)}.` };
  };

  const tooMany =
    (await count(PER_NETWORK, network)) || (await count(PER_ACCOUNT_AND_NETWORK, `${account} ${network}`));
  if (tooMany > 0) return tooManyAttempts(null, tooMany);

  const tooManyNearby = await countNearby(ip);
  const [row, knownNetworks] = await Promise.all([
    db.account.findUnique({ where: { email }, select: { id: true, passwordHash: true, disabledAt: true } }),
    listKnownNetworks(email),
  ]);
  const isKnown = knownNetworks.has(network);
  // Refuse before hashing: one home has 256 networks, and their attempts together would use up the processor.
  if (tooManyNearby > 0 && !isKnown) return tooManyAttempts(null, tooManyNearby);
  // Strangers elsewhere must not lock the owner out, so known networks skip this limit. An unknown network over the limit
  // gets the same answer after the same work, so that it cannot tell a right password from a wrong one.
  const tooManyForAccount = await count(PER_ACCOUNT, account);
  // A known network waits in another line, so that strangers cannot delay the owner.
  const isRight = await verifyPassword(password, row?.passwordHash ?? null, isKnown);
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

/** Networks of recent sign-ins. The query also runs for unknown e-mails, so that both cases take equally long. */
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
