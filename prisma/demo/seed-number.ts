import { db } from "@/lib/database/client";
import { openTicket } from "@/lib/game-services/tickets";
import { DEMO_ACCOUNTS } from "@/prisma/demo/data";

/** The last thing the seed writes is a ticket of the first account: it says that all is there, and from which number. */
const SUBJECT = "Demo data built from seed number ";

/** The number that the demo in this database was built from; null when there is none, or only part of one. */
export async function findSeedNumber(): Promise<number | null> {
  const ticket = await db.ticket.findFirst({
    where: { account: { email: DEMO_ACCOUNTS[0].email }, subject: { startsWith: SUBJECT } },
    select: { subject: true },
  });
  return ticket && Number(ticket.subject.slice(SUBJECT.length));
}

/** @throws Error when this database holds no demo. */
export async function getSeedNumber(): Promise<number> {
  const seed = await findSeedNumber();
  if (seed === null) throw new Error("This database holds no demo: run the seed first.");
  return seed;
}

/** Marks the demo as complete. */
export async function recordSeedNumber(accountId: number, seed: number, now: Date): Promise<void> {
  await openTicket(accountId, { subject: `${SUBJECT}${seed}`, serviceId: null }, now);
}
