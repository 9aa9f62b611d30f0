import { batched } from "@/lib/database/batched";
import { BoundedClient, connectionConfig, speakUtc } from "@/lib/database/connection";
import { reportAnswer } from "@/lib/database/outage";
import { isDraining } from "@/lib/process/draining.mjs";
import { env } from "@/lib/process/env";
import { inTime } from "@/lib/process/in-time";
import { perProcess } from "@/lib/process/per-process.mjs";

/** The connection that nothing but this asks: whether the database answers must not depend on who else waits for it. */
type Own = { client: BoundedClient | null };

const own = perProcess("readiness-connection", (): Own => ({ client: null }));

const ping = perProcess("readiness", () =>
  batched<"database", boolean>(async (askers) => {
    const before = own.client;
    let isReadOnly: boolean;
    try {
      isReadOnly = await ask(before ?? (await connect()));
    } catch (error) {
      // The connection may have ended while nobody used it, as when PostgreSQL is restarted.
      if (!before || hasTimedOut(error)) throw error;
      isReadOnly = await ask(await connect());
    }
    return askers.map(() => isReadOnly);
  }, 1),
);

/**
 * Answers when the database does, and whether it takes no writes, as a standby does not. @throws what the driver throws
 * when it does not answer.
 */
export async function pingDatabase(): Promise<{ isReadOnly: boolean }> {
  const isReadOnly = (await ping("database")) === true;
  reportAnswer();
  return { isReadOnly };
}

/** What /readyz says of this process: only "ok" may get requests. */
export async function readiness(): Promise<"ok" | "ending" | "read-only" | "unavailable"> {
  if (isDraining()) return "ending";
  try {
    const { isReadOnly } = await pingDatabase();
    return isReadOnly ? "read-only" : "ok";
  } catch {
    return "unavailable";
  }
}

async function connect(): Promise<BoundedClient> {
  const client = new BoundedClient(connectionConfig(env.databaseUrl ?? "postgresql://nowhere"));
  await inTime(() => client.connect());
  await speakUtc(client);
  own.client = client;
  return client;
}

/** Whether it is read-only. */
async function ask(client: BoundedClient): Promise<boolean> {
  try {
    const { rows } = await client.query("select current_setting('transaction_read_only') = 'on' as is_read_only");
    return rows[0]?.is_read_only === true;
  } catch (error) {
    own.client = null;
    void client.end().catch(() => {});
    throw error;
  }
}

function hasTimedOut(error: unknown): boolean {
  return /^(?:ETIMEDOUT|57014)$/.test(String((error as { code?: unknown }).code));
}
