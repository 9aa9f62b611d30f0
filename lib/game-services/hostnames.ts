import type { Prisma } from "@/lib/database/client";
import { executeIn, queryIn } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

/** What the domain name system allows. */
export const MAX_HOSTNAME_LENGTH = 253;
/**
 * In milliseconds. A claim that was never active lapses after this time, so that unused hostnames become free. A claim that was
 * active is kept for its account this long after its service was renamed or deleted, because DNS still leads players here.
 */
export const CLAIM_LASTS = 7 * DAY;
/** A limit, because renaming again and again would keep ever more hostnames from others. The latest are kept. */
export const MAX_KEPT_HOSTNAMES = 20;

/** Why edge nodes do not get a service. Its owner reads it. */
export const HOSTNAME_TAKEN = "Another service has this public hostname.";

/** At least two labels, lower case, no final dot. The last label must not be a number. */
const DNS_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether an edge node can serve a service under this hostname. */
export function isPublicHostname(hostname: string): boolean {
  return hostname.length <= MAX_HOSTNAME_LENGTH && DNS_NAME.test(hostname);
}

const s = table("GameService", "s");
const o = table("GameService", "o");
const c = table("HostnameClaim", "c");

/** A reserved hostname does not keep out services of the account (`game_services s`) that it is reserved for. */
const IS_BINDING = `(${c.serviceId} is not null or ${c.accountId} <> ${s.accountId})`;

/**
 * The condition on `game_services s` that another service holds its hostname, or that it is kept for another account. The
 * claim decides; without a claim, the lowest id does.
 */
export const IS_TAKEN = `case when exists
    (select from ${c} where ${c.hostname} = lower(${s.javaHostname}) and ${IS_BINDING})
  then not exists (select from ${c} where ${c.hostname} = lower(${s.javaHostname}) and ${c.serviceId} = ${s.id})
  else exists (select from ${o} where lower(${o.javaHostname}) = lower(${s.javaHostname}) and ${o.id} < ${s.id}
    and ${o.wish} is distinct from 'gone') end`;

/** Whether the claim is one of the account of service `id`. */
const isOwn = (id: string) => `(${c.serviceId} = ${id}
  or ${c.serviceId} is null and ${c.accountId} = (select ${s.accountId} from ${s} where ${s.id} = ${id}))`;

// Raw: one statement checks whether the old claim has lapsed and takes it over.
const CLAIM = statement(
  { hostname: c.hostname, serviceId: parameter<number>("int"), now: c.claimedAt, lapsed: c.claimedAt },
  ({ hostname, serviceId, now, lapsed }) => ({
    sql: `insert into hostname_claims as c (hostname, service_id, claimed_at) values (${hostname}, ${serviceId}, ${now})
      on conflict (hostname) do update set service_id = excluded.service_id, claimed_at = excluded.claimed_at,
        active_at = case when ${isOwn(serviceId)} then c.active_at end, account_id = null, released_at = null
      where ${isOwn(serviceId)} or ${c.activeAt} is null and ${c.claimedAt} < ${lapsed} or ${c.releasedAt} < ${lapsed}`,
  }),
);

/** Keeps the hostnames of these services for their accounts, except `hostname`, and frees those that were never active. */
const RELEASE = statement(
  { ids: parameter<number[]>("int[]"), hostname: c.hostname, now: parameter<Date>("timestamptz") },
  ({ ids, hostname, now }) => ({
    sql: `with freed as (delete from ${c} where ${c.serviceId} = any(${ids}) and ${c.hostname} <> ${hostname}
        and ${c.activeAt} is null)
      update ${c} set service_id = null, account_id = ${s.accountId}, released_at = ${now} from ${s}
      where ${s.id} = ${c.serviceId} and ${c.serviceId} = any(${ids}) and ${c.hostname} <> ${hostname}
        and ${c.activeAt} is not null`,
  }),
);

const FORGET_OLDEST = statement(
  { ids: parameter<number[]>("int[]"), kept: parameter<number>("int") },
  ({ ids, kept }) => ({
    sql: `delete from hostname_claims using (
      select hostname as oldest, row_number() over (partition by account_id order by released_at desc, hostname) as place
      from hostname_claims
      where account_id in (select account_id from game_services where id = any(${ids})) and released_at is not null
    ) as ranked
    where hostname = oldest and place > ${kept}`,
  }),
);

/**
 * Releases the hostnames of services that are renamed to `hostname` or, without one, deleted, within the caller's
 * transaction.
 */
export async function releaseHostnames(
  tx: Prisma.TransactionClient,
  ids: readonly number[],
  now: Date,
  hostname = "",
): Promise<void> {
  if (ids.length === 0 || (await executeIn(tx, RELEASE, { ids: [...ids], hostname, now })) === 0) return;
  await executeIn(tx, FORGET_OLDEST, { ids: [...ids], kept: MAX_KEPT_HOSTNAMES });
}

/**
 * Finds another service that keeps the hostname even without a claim: another program wrote it and makes no claims, or
 * it is in use. `excepted` is the service that asks.
 */
const UNCLAIMED = statement({ hostname: c.hostname, excepted: s.id }, ({ hostname, excepted }) =>
  select(
    { id: s.id },
    `from ${s} where lower(${s.javaHostname}) = ${hostname} and ${s.id} <> ${excepted} 
      and (${s.wish} is null or ${s.status} in ('active', 'disabled')) limit 1`,
  ),
);

/**
 * Claims a hostname for a service and releases its old one, within the caller's transaction. Returns false when another
 * service has the hostname, or it is kept for another account: the caller then undoes its transaction.
 */
export async function claimHostname(
  tx: Prisma.TransactionClient,
  serviceId: number,
  hostname: string,
  now: Date,
): Promise<boolean> {
  if ((await queryIn(tx, UNCLAIMED, { hostname, excepted: serviceId })).length > 0) return false;
  await releaseHostnames(tx, [serviceId], now, hostname);
  const lapsed = new Date(now.getTime() - CLAIM_LASTS);
  return (await executeIn(tx, CLAIM, { hostname, serviceId, now, lapsed })) > 0;
}

const CONFIRM = statement(
  { ids: parameter<number[]>("int[]"), now: parameter<Date>("timestamptz") },
  ({ ids, now }) => ({
    sql: `insert into hostname_claims as c (hostname, service_id, claimed_at, active_at)
      select lower(${s.javaHostname}), ${s.id}, ${now}, ${now} from ${s} where ${s.id} = any(${ids}) order by ${s.id}
      on conflict (hostname) do update set active_at = coalesce(c.active_at, excluded.active_at),
        service_id = excluded.service_id, account_id = null, released_at = null
      where ${isOwn("excluded.service_id")}`,
  }),
);

/** Makes the claims of active services permanent, within the caller's transaction. */
export async function confirmClaims(tx: Prisma.TransactionClient, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length > 0) await executeIn(tx, CONFIRM, { ids: [...ids], now });
}
