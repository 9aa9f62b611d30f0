import { db } from "@/lib/database/client";
import { reportAnswer } from "@/lib/database/outage";

/** Answers when the database does. @throws what the driver throws when it does not. */
export async function pingDatabase(): Promise<void> {
  await db.$queryRaw`select 1`;
  reportAnswer();
}
