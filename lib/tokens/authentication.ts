import { type Account, serializeAccount } from "@/lib/accounts/accounts";
import { batched } from "@/lib/database/batched";
import { DATABASE_TIME } from "@/lib/database/clock";
import { reportAnswer } from "@/lib/database/outage";
import { execute, query } from "@/lib/database/run-statement";
import { parameter, type RowOfStatement, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { MINUTE, SECOND } from "@/lib/format/time";
import { cleanAgent, type Sender } from "@/lib/http/sender";
import { pause, runInBackground } from "@/lib/process/background";
import { EVERYBODY, fair } from "@/lib/process/fair";
import { lookUp } from "@/lib/process/known-credentials";
import { perProcess } from "@/lib/process/per-process.mjs";
import { securityEvent } from "@/lib/process/security-events";
import type { TokenEventKind } from "@/lib/tokens/events/kinds";
import { hashToken } from "@/lib/tokens/format";
import { tokenState } from "@/lib/tokens/state";
import { MOST_COUNTED, recordRequest } from "@/lib/tokens/use";

/** `last_used_*` is at most this old. */
const LAST_USED_PRECISION = MINUTE;
const REFUSALS_WRITTEN_EVERY = 1 * SECOND;
/** Statements, each for all tokens that came meanwhile. */
const LOOK_UPS_AT_ONCE = 2;
const SHORTEST_RETRY = SECOND / 4;
const LONGEST_RETRY = 5 * SECOND;

/** `expiresAt`: when the token ends, in epoch milliseconds; null: never. */
export type Caller = { tokenId: number; account: Account; expiresAt: number | null };

const t = table("AccessToken", "t");
const a = table("Account", "a");
const e = table("Event", "e");

const CALLER = {
  tokenId: t.id,
  expiresAt: t.expiresAt,
  revokedAt: t.revokedAt,
  networks: t.networks,
  lastUsedAt: t.lastUsedAt,
  id: a.id,
  name: a.name,
  email: a.email,
  role: a.role,
  disabledAt: a.disabledAt,
  // All instances judge by one clock.
  now: DATABASE_TIME,
};
const OF_TOKENS = `from ${t} join ${a} on ${a.id} = ${t.accountId}`;

// Raw: the typed client would take two thirds of the time of GET /me for it.
const BY_HASH = statement({ tokenHash: t.tokenHash }, ({ tokenHash }) =>
  select(CALLER, `${OF_TOKENS} where ${t.tokenHash} = ${tokenHash}`),
);
type TokenRow = RowOfStatement<typeof BY_HASH>;

// A separate statement, because PostgreSQL plans this one on every call. That pays off only for several hashes.
const BY_HASHES = statement({ tokenHashes: parameter<readonly string[]>("text[]") }, ({ tokenHashes }) =>
  select({ ...CALLER, tokenHash: t.tokenHash }, `${OF_TOKENS} where ${t.tokenHash} = any(${tokenHashes})`),
);

const findByHash = batched<string, TokenRow>(async (hashes) => {
  const [hash, ...others] = hashes;
  if (hash !== undefined && others.length === 0) return query(BY_HASH, { tokenHash: hash });
  const rows = await query(BY_HASHES, { tokenHashes: hashes });
  const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
  return hashes.map((each) => byHash.get(each));
}, LOOK_UPS_AT_ONCE);

// Raw, because the statement itself checks whether a write is due: of many concurrent requests, only one writes. It also
// ends the token that this one replaces, when that token was to end at the first use.
const USE = statement(
  { id: t.id, now: t.lastUsedAt, ip: t.lastUsedIp, agent: t.lastUsedAgent, notSince: t.lastUsedAt },
  ({ id, now, ip, agent, notSince }) => ({
    sql: `with used as (
      update ${t} set ${t.lastUsedAt.name} = ${now}, ${t.lastUsedIp.name} = ${ip}, ${t.lastUsedAgent.name} = ${agent},
        ${t.firstUsedAt.name} = coalesce(${t.firstUsedAt}, ${now}),
        ${t.firstUsedIp.name} = case when ${t.firstUsedAt} is null then ${ip} else ${t.firstUsedIp} end
      where ${t.id} = ${id} and (${t.lastUsedAt} is null or ${t.lastUsedAt} <= ${notSince})
      returning ${t.id}
    )
    update ${t} set ${t.revokedAt.name} = ${now}
    where ${t.replacedById} = (select id from used) and ${t.endsOnFirstUse} and ${t.revokedAt} is null
      and (${t.expiresAt} is null or ${t.expiresAt} > ${now})`,
  }),
);

// Raw, because it must keep a later refusal that another process wrote meanwhile. Refusals of the same kind with less than a
// day between them are one event.
const REFUSE = statement(
  {
    id: t.id,
    count: t.refusedCount,
    now: t.lastRefusedAt,
    ip: t.lastRefusedIp,
    agent: t.lastRefusedAgent,
    event: parameter<TokenEventKind | null>("text"),
  },
  ({ id, count, now, ip, agent, event }) => ({
    sql: `with refused as (
      update ${t} set ${t.refusedCount.name} = least(${MOST_COUNTED}, ${t.refusedCount}::bigint + ${count}),
      ${t.lastRefusedIp.name} = case when ${t.lastRefusedAt} > ${now} then ${t.lastRefusedIp} else ${ip} end,
      ${t.lastRefusedAgent.name} = case when ${t.lastRefusedAt} > ${now} then ${t.lastRefusedAgent} else ${agent} end,
      ${t.lastRefusedAt.name} = greatest(${t.lastRefusedAt}, ${now})
      where ${t.id} = ${id} returning ${t.id} as id, ${t.accountId} as account_id,
        jsonb_strip_nulls(jsonb_build_object('ip', ${t.lastRefusedIp}, 'agent', ${t.lastRefusedAgent})) as facts),
    longer as (
      update ${e} set ${e.endedAt.name} = greatest(${e.endedAt}, ${now}), ${e.facts.name} = refused.facts
        || jsonb_build_object('count', least(${MOST_COUNTED}, (${e.facts} ->> 'count')::bigint + ${count}))
      from refused where ${e.subjectId} = refused.id and ${e.subject} = 'token' and ${e.kind} = ${event} and ${e.endedAt} > ${now} - interval '24 h'
      returning ${e.id})
    insert into events (subject, subject_id, account_id, kind, started_at, ended_at, facts)
      select 'token', id, account_id, ${event}, ${now}, ${now}, facts || jsonb_build_object('count', ${count}) from refused
      where ${event} is not null and not exists (select from longer)
    on conflict do nothing`,
  }),
);

/**
 * Returns the caller of a well-formed raw token. Null: the token is unknown, revoked or expired, its account is
 * disabled, or the sender is outside its networks (contract 5.5, 5.6, 5.8). Nothing is cached, so a revocation holds from the very next request on. Use and refusals
 * are written afterwards, in the background.
 * @throws BusyError when too many tokens that this process has not seen work are being looked up.
 */
export async function authenticate(raw: string, sender: Sender): Promise<Caller | null> {
  const isActive = (row: TokenRow) => tokenState(row, row.now, sender) === "active" && row.disabledAt === null;
  const row = await lookUp(hashToken(raw), findByHash, isActive);
  reportAnswer();
  if (!row) return null;
  const { now } = row;
  if (!isActive(row)) {
    recordRefusal(row, { count: 1, at: now, sender, event: REFUSED[tokenState(row, now, sender)] });
    // Ips outside the networks of a token that works are not kept, because they would push out those that used it.
    recordRequest(row.tokenId, "refused", tokenState(row, now) === "active" ? null : sender, now);
    return null;
  }
  if (row.lastUsedAt === null || now - row.lastUsedAt >= LAST_USED_PRECISION) recordUse(row, now, sender);
  recordRequest(row.tokenId, "requests", sender, now);
  return { tokenId: row.tokenId, account: serializeAccount(row), expiresAt: row.expiresAt };
}

/** Tokens whose use is being written. */
const beingUsed = perProcess("tokens-being-used", () => new Set<number>());

/**
 * At most one write runs per token, because later requests would write nearly the same. It retries until it succeeds,
 * because this write may also end the token that this one replaces.
 */
function recordUse({ tokenId: id, id: accountId }: TokenRow, at: number, { ip, agent }: Sender): void {
  if (beingUsed.has(id)) return;
  beingUsed.add(id);
  const notSince = new Date(at - LAST_USED_PRECISION);
  const use = { id, now: new Date(at), ip, agent: cleanAgent(agent), notSince };
  runInBackground("recording the use of a token", async () => {
    try {
      for (let wait = SHORTEST_RETRY; ; wait = Math.min(2 * wait, LONGEST_RETRY)) {
        try {
          // How many replaced tokens this use ended.
          const ended = await fair("background", EVERYBODY, () => execute(USE, use));
          if (ended > 0) securityEvent("token revoked", { accountId, ip, reason: "replaced", count: ended });
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

/** `event`: what it is, of the last of them; null: the account is disabled. */
type Refusals = { count: number; at: number; sender: Sender; event: TokenEventKind | null };

const REFUSED = {
  revoked: "refused_after_end",
  expired: "refused_after_end",
  elsewhere: "refused_elsewhere",
  active: null,
} as const;

/** Refusals not written yet, by token. While one write of a token is under way, its further refusals gather here. */
const unwritten = perProcess("token-refusals", () => new Map<number, Refusals>());
const writing = perProcess("token-refusals-being-written", () => new Set<number>());

/** Every refusal is counted, but a flood of them costs one write a second. */
function recordRefusal({ tokenId: id, id: accountId }: TokenRow, refusal: Refusals): void {
  gather(id, refusal);
  if (writing.has(id)) return;
  writing.add(id);
  runInBackground("recording the refusal of a token", async () => {
    try {
      for (let next = unwritten.get(id); next; next = unwritten.get(id)) {
        unwritten.delete(id);
        await fair("background", EVERYBODY, () => writeRefusals(id, next)).catch((error: unknown) => {
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

/** Adds refusals to those that wait. A failed write returns its refusals here, so the latest sender must win. */
function gather(id: number, refusals: Refusals): void {
  const known = unwritten.get(id);
  const last = known && known.at > refusals.at ? known : refusals;
  unwritten.set(id, { ...last, count: refusals.count + (known?.count ?? 0) });
}

async function writeRefusals(id: number, { count, at, sender, event }: Refusals): Promise<void> {
  await execute(REFUSE, { id, count, now: new Date(at), ip: sender.ip, agent: cleanAgent(sender.agent), event });
}
