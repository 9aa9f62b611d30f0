import { keepLog, startConsole } from "./console-server";
import { startPostgres } from "./postgres-server";
import { prepareForTests } from "./present-console";
import { startProductionConsole } from "./production-console";
import { has } from "./programs.mjs";
import { startRedis } from "./redis-server";
import { createTemplate, createTestDatabase } from "./test-database";

/**
 * One database and one console for all tests that need nothing special; each test makes accounts of its own in it. Where
 * PostgreSQL and Redis are installed the console runs as in production: its limit is in Redis, and it can write no file.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const onServers = has("postgres") && has("redis-server");
  const postgres = onServers ? await startPostgres() : null;
  const redis = onServers ? await startRedis() : null;
  if (postgres) process.env.E2E_POSTGRES_URL = postgres.url;
  const template = await createTemplate();
  const database = await createTestDatabase();
  await prepareForTests(database.url);
  // Tests stand behind one trusted proxy, so that each can come from an ip of its own.
  const variables = { TRUSTED_PROXIES: "1", ...(redis && { REDIS_URL: redis.url }) };
  const app = await (postgres ? startProductionConsole : startConsole)(database.url, variables);
  const log = keepLog(app);
  process.env.E2E_LOG = log.path;
  process.env.DATABASE_URL = database.url;
  process.env.E2E_ORIGIN = app.origin;
  return async () => {
    await app.stop();
    log.remove();
    await redis?.stop();
    await database.stop();
    await template.remove();
    await postgres?.stop();
  };
}
