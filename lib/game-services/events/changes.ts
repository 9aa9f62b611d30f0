import type { Prisma } from "@/lib/database/client";
import type { GameServiceStatus } from "@/lib/generated/prisma/enums";
import type { ServiceEventKind } from "./kinds";

/** What somebody did with a game service. `what`: in a few words, what they changed. */
export type ServiceChange = { kind: ServiceEventKind; what?: string };

/** Records a change of a game service, in the transaction of the change. `accountId`: its owner, who made it. */
export async function recordChange(
  tx: Pick<Prisma.TransactionClient, "event">,
  serviceId: number,
  accountId: number,
  { kind, what }: ServiceChange,
  at: Date,
): Promise<void> {
  const facts = { by: accountId, ...(what && { what }) };
  await tx.event.createMany({
    data: { subject: "service", subjectId: serviceId, accountId, kind, startedAt: at, endedAt: at, facts },
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
  await tx.event.create({ data: { subject: "service", subjectId, accountId, kind, startedAt, facts } });
}

type FirstStatus = { id: number; accountId: number; status: GameServiceStatus; error?: string | null };
