import type { Prisma } from "@/lib/database/client";
import type { GameServiceStatus } from "@/lib/generated/prisma/enums";
import type { ServiceEventKind } from "./kinds";

/** What somebody did with a game service. `what`: in a few words, what they changed. */
export type ServiceChange = { kind: ServiceEventKind; what?: string };

/** Records a change of a game service and the account that made it, in the transaction of the change. */
export async function recordChange(
  tx: Pick<Prisma.TransactionClient, "gameService" | "event">,
  serviceId: number,
  by: number,
  { kind, what }: ServiceChange,
  at: Date,
): Promise<void> {
  const facts = { by, ...(what && { what }) };
  const where = { id: serviceId };
  const { accountId } = await tx.gameService.findUniqueOrThrow({ where, select: { accountId: true } });
  await tx.event.createMany({
    data: {
      ...{ subject: "service", subjectId: serviceId, accountId, kind, startedAt: at, endedAt: at, facts },
    } satisfies Prisma.EventCreateManyInput,
    skipDuplicates: true,
  });
}

/** Records the first status of a game service, from when on it lasts until the next one. */
export async function recordStatus(
  tx: Pick<Prisma.TransactionClient, "event">,
  { id: subjectId, accountId, status: kind, error }: FirstStatus,
  startedAt: Date,
): Promise<void> {
  const facts = error ? { error } : {};
  await tx.event.create({
    data: {
      subject: "service",
      subjectId,
      accountId,
      kind,
      startedAt,
      facts,
    } satisfies Prisma.EventUncheckedCreateInput,
  });
}

type FirstStatus = { id: number; accountId: number; status: GameServiceStatus; error?: string | null };
