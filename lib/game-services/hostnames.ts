import type { Prisma } from "@/lib/database/client";
import { execute, executeIn, queryIn } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/time";

/** What the domain name system allows. */
export const MAX_HOSTNAME_LENGTH = 253;
/** A claim that was never active lapses after this time, in milliseconds, so that unused hostnames become free. */
export const CLAIM_LASTS = 7 * DAY;

export const HOSTNAME_TAKEN = "Another service has this public hostname.";
export const HOSTNAME_UNUSABLE = "This public hostname is not a DNS name.";

/** At least two labels, lower case, no final dot. The last label must not be a number. */
const DNS_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether an edge node can serve a service under this hostname. */
export function isPublicHostname(hostname: string): boolean {
  return hostname.length <= MAX_HOSTNAME_LENGTH && DNS_NAME.test(hostname);
}

const s = table("GameService", "s");
const o = table("GameService", "o");
const c = table("HostnameClaim", "c");

/**
 * The condition on `game_services s` that another service holds its hostname. The claim decides; without a claim, the
 * lowest id does.
 */
export const IS_TAKEN = `case when exists (select from ${c} where ${c.hostname} = lower(${s.javaHostname}))
  then not exists (select from ${c} where ${c.hostname} = lower(${s.javaHostname}) and ${c.serviceId} = ${s.id})
  else exists (select from ${o} where lower(${o.javaHostname}) = lower(${s.javaHostname}) and ${o.id} < ${s.id}
    and ${o.wish} is distinct from 'gone') end`;

// Raw: one statement checks whether the old claim has lapsed and takes it over.
const CLAIM = statement(
  { hostname: c.hostname, serviceId: c.serviceId, now: c.claimedAt, lapsed: c.claimedAt },
  ({ hostname, serviceId, now, lapsed }) => ({
    sql: `insert into hostname_claims as c (hostname, service_id, claimed_at) values (${hostname}, ${serviceId}, ${now})
      on conflict (hostname) do update set service_id = excluded.service_id, claimed_at = excluded.claimed_at
      where c.service_id = excluded.service_id or c.active_at is null and c.claimed_at < ${lapsed}`,
  }),
);

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
 * Claims a hostname for a service and releases its old one, within the caller's transaction. Returns false and changes
 * nothing when another service has the hostname.
 */
export async function claimHostname(
  tx: Prisma.TransactionClient,
  serviceId: number,
  hostname: string,
  now: Date,
): Promise<boolean> {
  if ((await queryIn(tx, UNCLAIMED, { hostname, excepted: serviceId })).length > 0) return false;
  await tx.hostnameClaim.deleteMany({ where: { serviceId, hostname: { not: hostname } } });
  const lapsed = new Date(now.getTime() - CLAIM_LASTS);
  return (await executeIn(tx, CLAIM, { hostname, serviceId, now, lapsed })) > 0;
}

const CONFIRM = statement(
  { ids: parameter<number[]>("int[]"), now: parameter<Date>("timestamptz") },
  ({ ids, now }) => ({
    sql: `insert into hostname_claims as c (hostname, service_id, claimed_at, active_at)
      select lower(${s.javaHostname}), ${s.id}, ${now}, ${now} from ${s} where ${s.id} = any(${ids}) order by ${s.id}
      on conflict (hostname) do update set active_at = coalesce(c.active_at, excluded.active_at)
      where c.service_id = excluded.service_id`,
  }),
);

/** Makes the claims of active services permanent, within the caller's transaction. */
export async function confirmClaims(tx: Prisma.TransactionClient, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length > 0) await executeIn(tx, CONFIRM, { ids: [...ids], now });
}

const LAPSED = statement({ lapsed: c.claimedAt }, ({ lapsed }) => ({
  sql: `delete from ${c} where ${c.activeAt} is null and ${c.claimedAt} < ${lapsed}`,
}));

/** Deletes the claims that have lapsed. Answers how many. */
export async function deleteLapsedClaims(now: Date = new Date()): Promise<number> {
  return execute(LAPSED, { lapsed: new Date(now.getTime() - CLAIM_LASTS) });
}
