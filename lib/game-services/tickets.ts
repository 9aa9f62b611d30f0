import { db, type Prisma } from "@/lib/database/client";
import { NotFoundError } from "@/lib/failures";

/** While a ticket of the owner is open, staff see the service that it is linked to (spec 2.5). */
export async function openTicket(
  accountId: number,
  { subject, serviceId }: { subject: string; serviceId: number | null },
  now: Date = new Date(),
): Promise<{ id: number }> {
  const data = { accountId, subject, serviceId, createdAt: now } satisfies Prisma.TicketUncheckedCreateInput;
  return db.ticket.create({ data, select: { id: true } });
}

/** @throws NotFoundError when there is no such open ticket. */
export async function closeTicket(id: number): Promise<void> {
  const { count } = await db.ticket.updateMany({ where: { id, status: "open" }, data: { status: "closed" } });
  if (count === 0) throw new NotFoundError();
}
