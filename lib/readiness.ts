import { BoundedClient, connectionConfig, speakUtc } from "@/lib/database/connection";
import { reportAnswer } from "@/lib/database/outage";
import { together } from "@/lib/database/together";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process";

/** The connection that nothing but this asks: whether the database answers must not depend on who else waits for it. */
type Own = { client: BoundedClient | null };

const own = perProcess("readiness-connection", (): Own => ({ client: null }));

const ping = perProcess("readiness", () =>
  together<null, true>(async (askers) => {
    const before = own.client;
    try {
      await ask(before ?? (await connect()));
    } catch (error) {
      // The connection may have ended while nobody used it, as when PostgreSQL is restarted.
      if (!before || hasTimedOut(error)) throw error;
      await ask(await connect());
    }
    return askers.map(() => true);
  }, 1),
);

/** Answers when the database does. @throws what the driver throws when it does not. */
export async function pingDatabase(): Promise<void> {
  await ping(null);
  reportAnswer();
}

async function connect(): Promise<BoundedClient> {
  const client = new BoundedClient(connectionConfig(env.databaseUrl ?? "postgresql://nowhere"));
  await client.connect();
  await speakUtc(client);
  own.client = client;
  return client;
}

async function ask(client: BoundedClient): Promise<void> {
  try {
    await client.query("select 1");
  } catch (error) {
    own.client = null;
    void client.end().catch(() => {});
    throw error;
  }
}

function hasTimedOut(error: unknown): boolean {
  return /^(?:ETIMEDOUT|57014)$/.test(String((error as { code?: unknown }).code));
}
