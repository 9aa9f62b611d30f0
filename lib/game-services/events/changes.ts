import type { Prisma } from "@/lib/database/client";
import type { ServiceEventKind } from "./kinds";

/** What somebody did with a game service. `what`: in a few words, what they changed. */
export type ServiceChange = { kind: ServiceEventKind; what?: string };

/** Records a change of a game service and the account that made it, in the transaction of the change. */
export async function recordChange(
  tx: Pick<Prisma.TransactionClient, "serviceEvent">,
  serviceId: number,
  by: number,
  { kind, what }: ServiceChange,
  at: Date,
): Promise<void> {
  const facts = { by, ...(what && { what }) };
  await tx.serviceEvent.createMany({
    data: { serviceId, kind, startedAt: at, endedAt: at, facts } satisfies Prisma.ServiceEventCreateManyInput,
    skipDuplicates: true,
  });
}
