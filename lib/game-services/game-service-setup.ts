import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import type { GameServiceStatus } from "@/lib/generated/prisma/enums";

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
