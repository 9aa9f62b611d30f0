import { type ConsoleServer, keepLog, startConsole } from "./console-server";
import { runSql } from "./run-sql";
import { createTestDatabase } from "./test-database";

/** The console has been there for long, as in production, and judges who is silent. Its start is no absence. */
const PRESENT_FOR_LONG = `insert into heartbeat (id, beat_at, judges_from) values (1, now(), now() - interval '400 days')
  on conflict (id) do update set beat_at = excluded.beat_at, judges_from = excluded.judges_from`;

/** A console for many tests, over a database in which each makes accounts of its own. It finds no absence of its own. */
export async function startSharedConsole(
  variables: Record<string, string>,
  start: (url: string, variables: Record<string, string>) => Promise<ConsoleServer> = startConsole,
) {
  const database = await createTestDatabase();
  await runSql(database.url, PRESENT_FOR_LONG);
  // Tests stand behind one trusted proxy, so that each can come from an ip of its own.
  const app = await start(database.url, { TRUSTED_PROXIES: "1", ...variables });
  const log = keepLog(app);
  const stop = async () => {
    await app.stop();
    await database.stop();
    log.remove();
  };
  return { origin: app.origin, databaseUrl: database.url, log: log.path, stop };
}
