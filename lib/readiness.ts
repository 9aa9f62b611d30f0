import { reportAnswer } from "@/lib/database/outage";
import { query, statement } from "@/lib/database/statement";

// Raw, because the typed client can ask nothing without a table: any answer will do.
const PING = statement({}, () => ({ sql: "select 1" }));

/** Answers when the database does. @throws what the driver throws when it does not. */
export async function pingDatabase(): Promise<void> {
  await query(PING, {});
  reportAnswer();
}
