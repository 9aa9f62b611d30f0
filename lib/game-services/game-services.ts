import { type Account, isStaff } from "@/lib/accounts/accounts";
import type { GameService, GameServiceList } from "@/lib/api/schemas";
import { db, Prisma } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import type { GameServiceStatus } from "@/lib/generated/prisma/enums";
import { parseId } from "@/lib/http/ids";

type GameServiceRow = {
  id: number;
  name: string;
  status: GameServiceStatus;
  java_hostname: string;
  origin_host: string;
  origin_port: number;
  config_version: number;
  error: string | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = Prisma.sql`s.id, s.name, s.status::text as status, s.java_hostname, s.origin_host, s.origin_port,
  s.config_version, s.error, s.created_at, s.updated_at`;

/**
 * The condition on `game_services s` under which an account may see a service (spec 2.5): it owns it, or holds a grant,
 * or is staff and the owner allowed support access or has an open ticket linked to the service.
 */
export function visibleTo(account: Account): Prisma.Sql {
  const ownedOrGranted = Prisma.sql`s.account_id = ${account.id}
    or exists (select 1 from service_grants g where g.service_id = s.id and g.account_id = ${account.id})`;
  if (!isStaff(account)) return Prisma.sql`(${ownedOrGranted})`;
  return Prisma.sql`(${ownedOrGranted} or s.support_access or exists (
    select 1 from tickets t where t.service_id = s.id and t.account_id = s.account_id and t.status = 'open'))`;
}

/** The condition on `game_services s` of the list: the account owns the service or holds a grant, whatever its role. */
export function ownedOrGrantedTo(accountId: number): Prisma.Sql {
  return Prisma.sql`s.id in (
    select id from game_services where account_id = ${accountId}
    union select service_id from service_grants where account_id = ${accountId})`;
}

/** The services that an account owns or holds a grant for, whatever its role, by id (spec 4, rule 4). */
export async function listGameServices(accountId: number): Promise<GameServiceList> {
  const rows = await db.$queryRaw<GameServiceRow[]>`
    select ${COLUMNS} from game_services s
    where ${ownedOrGrantedTo(accountId)}
    order by s.id`;
  return { services: rows.map(serializeGameService) };
}

/** @throws NotFoundError when there is no such service that the account may see (spec 4, rule 5). */
export async function getGameService(account: Account, idText: string): Promise<GameService> {
  const id = parseId(idText);
  const [row] = await db.$queryRaw<GameServiceRow[]>`
    select ${COLUMNS} from game_services s where s.id = ${id} and ${visibleTo(account)}`;
  if (!row) throw new NotFoundError();
  return serializeGameService(row);
}

function serializeGameService(row: GameServiceRow): GameService {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    java_hostname: row.java_hostname,
    origin_host: row.origin_host,
    origin_port: row.origin_port,
    config_version: row.config_version,
    error: row.error,
    created_at: row.created_at.getTime(),
    updated_at: row.updated_at.getTime(),
  };
}

/** A service that waits for its first configuration. */
export async function createGameService(
  accountId: number,
  input: { name: string; javaHostname: string; originHost: string; originPort: number },
  now: Date = new Date(),
): Promise<{ id: number }> {
  return db.gameService.create({ data: { accountId, ...input, createdAt: now, updatedAt: now }, select: { id: true } });
}

/** What rolling out a configuration came to. `error` says why it failed. @throws NotFoundError for an unknown service. */
export async function setGameServiceState(
  id: number,
  state: { status: GameServiceStatus; configVersion: number; error: string | null },
  now: Date = new Date(),
): Promise<void> {
  const { count } = await db.gameService.updateMany({ where: { id }, data: { ...state, updatedAt: now } });
  if (count === 0) throw new NotFoundError();
}

/** Lets staff see the service, or no longer. Not a change of its configuration. @throws NotFoundError for an unknown one. */
export async function setSupportAccess(id: number, supportAccess: boolean): Promise<void> {
  const count = await db.$executeRaw`update game_services set support_access = ${supportAccess} where id = ${id}`;
  if (count === 0) throw new NotFoundError();
}

/** Shares the service with an account; sharing it twice changes nothing. */
export async function grantGameService(serviceId: number, accountId: number, now: Date = new Date()): Promise<void> {
  await db.serviceGrant.createMany({ data: [{ serviceId, accountId, createdAt: now }], skipDuplicates: true });
}
