import type { Account } from "@/lib/accounts/accounts";
import { db } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";
import { findSeen } from "./access";
import { isHeardLately } from "./edges/nodes";
import { type GoesOn, listGoingOn } from "./events/service-events";
import { getGameService } from "./game-services";
import type { NodeWord } from "./standing";
import { withheldServices } from "./standings";
import { wishOf } from "./status";

/** What a node has of a service. */
export type NodeState = NodeWord & {
  id: number;
  name: string;
  isLive: boolean;
  lastHeardAt: Date | null;
  /** What the owner should know although the version is applied. */
  warning: string | null;
};

export type ServiceDetails = Awaited<ReturnType<typeof getServiceDetails>>;

/**
 * A service as the API returns it, plus the extra data of its pages.
 * @throws NotFoundError when there is no such service that the account may see.
 */
export async function getServiceDetails(account: Account, idText: string) {
  const service = await getGameService(account, idText);
  const [seen, withheld, goingOn, nodes] = await Promise.all([
    findSeen(account, service.id),
    withheldServices([service.id]),
    listGoingOn([service.id]),
    db.edgeNode.findMany({
      where: { lastHeardAt: { not: null } },
      select: {
        id: true,
        name: true,
        lastHeardAt: true,
        acknowledgements: {
          where: { serviceId: service.id },
          select: { version: true, error: true, servingVersion: true, warning: true },
        },
      },
      orderBy: { id: "asc" },
    }),
  ]);
  if (seen === null) throw new NotFoundError();
  const { wish, firstFetchedAt, ...shown } = seen;
  return {
    service,
    ...shown,
    goesOn: goingOn.get(service.id) ?? (new Map() as GoesOn),
    wish: wishOf(wish, service.status),
    wasFetched: firstFetchedAt !== null,
    newest: { configVersion: service.config_version, isWithheld: withheld.has(service.id) },
    /** The live nodes, and those that acknowledged the service before they fell silent, by id. */
    nodes: nodes.flatMap(({ acknowledgements: [said], ...node }): NodeState[] => {
      const isLive = isHeardLately(node.lastHeardAt);
      const version = said && said.version >= 0 ? said.version : null;
      const { error = null, servingVersion = null, warning = null } = said ?? {};
      return isLive || version !== null ? [{ ...node, isLive, version, error, servingVersion, warning }] : [];
    }),
  };
}

/** Which of these services the account owns. */
export async function listOwnIds(accountId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const own = await db.gameService.findMany({ where: { accountId, id: { in: [...ids] } }, select: { id: true } });
  return new Set(own.map(({ id }) => id));
}
