import { type Account, serializeAccount } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { reportAnswer } from "@/lib/database/outage";
import type { AccountRole } from "@/lib/generated/prisma/enums";
import { cleanAgent, type Sender } from "@/lib/http/sender";
import { pause, runInBackground } from "@/lib/process/background";
import { perProcess } from "@/lib/process/per-process";
import { securityEvent } from "@/lib/process/security-events";
import { MINUTE, SECOND } from "@/lib/time";
import { hashToken } from "@/lib/tokens/format";
import { tokenState } from "@/lib/tokens/state";
import { recordRequest } from "@/lib/tokens/use";

/** `last_used_*` is at most this old. */
const LAST_USED_PRECISION = MINUTE;
const REFUSALS_WRITTEN_EVERY = 1 * SECOND;
const SHORTEST_RETRY = SECOND / 4;
const LONGEST_RETRY = 5 * SECOND;

export type Caller = { tokenId: number; account: Account };

type TokenRow = {
  id: number;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  account_id: number;
  name: string;
  email: string;
  role: AccountRole;
  disabled_at: Date | null;
};

/**
 * Whom a well-formed raw token acts as; null when it is unknown, revoked, expired, or its account is disabled
 * (spec 5.5, 5.6). Nothing is cached, so each of these holds from the very next request on. What the token page shows
 * about use and refusals is written afterwards, in the background.
 */
export async function authenticate(raw: string, sender: Sender): Promise<Caller | null> {
  const now = Date.now();
  const [row] = await db.$queryRaw<TokenRow[]>`
    select t.id, t.expires_at, t.revoked_at, t.last_used_at, a.id as account_id, a.name, a.email, a.role::text as role, a.disabled_at
    from access_tokens t join accounts a on a.id = t.account_id
    where t.token_hash = ${hashToken(raw)}`;
  reportAnswer();
  if (!row) return null;
  const state = tokenState({ revokedAt: row.revoked_at, expiresAt: row.expires_at }, new Date(now));
  if (state !== "active" || row.disabled_at) {
    recordRefusal(row, now, sender);
    recordRequest(row.id, "refused", sender, now);
    return null;
  }
  if (row.last_used_at === null || now - row.last_used_at.getTime() >= LAST_USED_PRECISION) {
    recordUse(row, now, sender);
  }
  recordRequest(row.id, "requests", sender, now);
  return { tokenId: row.id, account: serializeAccount({ ...row, id: row.account_id }) };
}

/** Tokens whose use is being written. */
const beingUsed = perProcess("tokens-being-used", () => new Set<number>());

/**
 * One write of a token at a time: while the database is slow, the use by later requests is the same news. It is tried
 * again until it is written: another token may end with it.
 */
function recordUse({ id, account_id: accountId }: TokenRow, at: number, sender: Sender): void {
  if (beingUsed.has(id)) return;
  beingUsed.add(id);
  runInBackground("recording the use of a token", async () => {
    try {
      for (let wait = SHORTEST_RETRY; ; wait = Math.min(2 * wait, LONGEST_RETRY)) {
        try {
          const ended = await writeUse(id, at, sender);
          if (ended > 0) securityEvent("token revoked", { accountId, ip: sender.ip, reason: "replaced", count: ended });
          return;
        } catch (error) {
          if (!(await pause(wait))) throw error;
        }
      }
    } finally {
      beingUsed.delete(id);
    }
  });
}

/**
 * Decided again inside the statement: of many requests at once, one writes. A token that this one takes the place of,
 * and that was to end at its first use, ends with the same statement. Returns how many ended so.
 */
async function writeUse(id: number, at: number, { ip, agent }: Sender): Promise<number> {
  const now = new Date(at);
  return db.$executeRaw`
    with used as (
      update access_tokens set last_used_at = ${now}, last_used_ip = ${ip}, last_used_agent = ${cleanAgent(agent)},
        first_used_at = coalesce(first_used_at, ${now}),
        first_used_ip = case when first_used_at is null then ${ip} else first_used_ip end
      where id = ${id} and (last_used_at is null or last_used_at <= ${new Date(at - LAST_USED_PRECISION)})
      returning id
    )
    update access_tokens set revoked_at = ${now}
    where replaced_by_id = (select id from used) and ends_on_first_use and revoked_at is null
      and (expires_at is null or expires_at > ${now})`;
}

type Refusals = { count: number; at: number; sender: Sender };

/** Refusals not written yet, by token. While one write of a token is under way, its further refusals gather here. */
const unwritten = perProcess("token-refusals", () => new Map<number, Refusals>());
const writing = perProcess("token-refusals-being-written", () => new Set<number>());

/** Every refusal is counted, but a flood of them costs one write a second. */
function recordRefusal({ id, account_id: accountId }: TokenRow, at: number, sender: Sender): void {
  gather(id, { count: 1, at, sender });
  if (writing.has(id)) return;
  writing.add(id);
  runInBackground("recording the refusal of a token", async () => {
    try {
      for (let next = unwritten.get(id); next; next = unwritten.get(id)) {
        unwritten.delete(id);
        await writeRefusals(id, next).catch((error: unknown) => {
          gather(id, next);
          throw error;
        });
        securityEvent("token use refused", { accountId, tokenId: id, ip: next.sender.ip, count: next.count });
        await pause(REFUSALS_WRITTEN_EVERY);
      }
    } finally {
      writing.delete(id);
    }
  });
}

function gather(id: number, { count, at, sender }: Refusals): void {
  const before = unwritten.get(id);
  unwritten.set(id, { count: count + (before?.count ?? 0), at, sender });
}

/** Another process may have written a later one meanwhile, which stays. */
async function writeRefusals(id: number, { count, at, sender }: Refusals): Promise<void> {
  const now = new Date(at);
  await db.$executeRaw`
    update access_tokens set refused_count = refused_count + ${count},
      last_refused_ip = case when last_refused_at > ${now} then last_refused_ip else ${sender.ip} end,
      last_refused_agent = case when last_refused_at > ${now} then last_refused_agent else ${cleanAgent(sender.agent)} end,
      last_refused_at = greatest(last_refused_at, ${now})
    where id = ${id}`;
}
