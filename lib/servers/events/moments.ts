import type { Prisma } from "@/lib/database/client";
import type { EventFacts, EventKind } from "@/lib/servers/events/kinds";

/** Records what happened to a server in one moment, in the transaction of its cause. */
export async function recordMoment(
  tx: Pick<Prisma.TransactionClient, "serverEvent">,
  serverId: number,
  kind: EventKind,
  at: Date,
  facts: EventFacts = {},
): Promise<void> {
  await tx.serverEvent.createMany({
    data: { serverId, kind, startedAt: at, endedAt: at, facts } satisfies Prisma.ServerEventCreateManyInput,
    skipDuplicates: true,
  });
}
