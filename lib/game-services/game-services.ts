import { type Account, isStaff } from "@/lib/accounts/accounts";
import type { GameService, GameServiceList } from "@/lib/api/schemas";
import { query } from "@/lib/database/run-statement";
import { parameter, select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { NotFoundError } from "@/lib/failures";
import { parseId } from "@/lib/http/ids";

const s = table("GameService", "s");
const owned = table("GameService", "owned");
const g = table("ServiceGrant", "g");
const k = table("Ticket", "k");

/** A service as the contract has it (contract 2.5). */
const SERVICE = {
  id: s.id,
  name: s.name,
  status: s.status,
  java_hostname: s.javaHostname,
  origin_host: s.originHost,
  origin_port: s.originPort,
  config_version: s.configVersion,
  error: s.error,
  created_at: s.createdAt,
  updated_at: s.updatedAt,
};

/** The parameters of `VISIBLE` for the account that asks. */
export const ASKER = { askerId: s.accountId, askerIsStaff: parameter<boolean>("boolean") };

/** The values of `ASKER`. */
export function askerOf(account: Account) {
  return { askerId: account.id, askerIsStaff: isStaff(account) };
}

/**
 * The condition on `game_services s` under which an account may see a service (contract 2.5): it owns it, or holds a grant,
 * or is staff and the owner allowed support access or has an open ticket linked to the service. Raw, because it compares
 * the ticket's account with the service's.
 */
export function visibleTo({ askerId, askerIsStaff }: { askerId: string; askerIsStaff: string }): string {
  return `(${s.accountId} = ${askerId}
    or exists (select from ${g} where ${g.serviceId} = ${s.id} and ${g.accountId} = ${askerId})
    or ${askerIsStaff} and (${s.supportAccess} or exists (
      select from ${k} where ${k.serviceId} = ${s.id} and ${k.accountId} = ${s.accountId} and ${k.status} = 'open')))`;
}

/** The condition on `game_services s` of the list: the account owns the service or holds a grant, whatever its role. */
export function ownedOrGrantedTo(accountId: string): string {
  return `${s.id} in (
    select ${owned.id} from ${owned} where ${owned.accountId} = ${accountId}
    union select ${g.serviceId} from ${g} where ${g.accountId} = ${accountId})`;
}

const LISTED_TO = statement({ accountId: s.accountId }, ({ accountId }) =>
  select(SERVICE, `from ${s} where ${ownedOrGrantedTo(accountId)} order by ${s.id}`),
);

const VISIBLE = statement({ id: s.id, ...ASKER }, ({ id, ...asker }) =>
  select(SERVICE, `from ${s} where ${s.id} = ${id} and ${visibleTo(asker)}`),
);

/** The services that an account owns or holds a grant for, whatever its role, by id (contract 4, rule 4). */
export async function listGameServices(accountId: number): Promise<GameServiceList> {
  return { services: await query(LISTED_TO, { accountId }) };
}

/** @throws NotFoundError when there is no such service that the account may see (contract 4, rule 5). */
export async function getGameService(account: Account, idText: string): Promise<GameService> {
  const [service] = await query(VISIBLE, { id: parseId(idText), ...askerOf(account) });
  if (!service) throw new NotFoundError();
  return service;
}
