import { startConsole } from "./console-server";
import { prepareForTests } from "./present-console";
import { startProductionConsole } from "./production-console";
import { has } from "./programs.mjs";
import { type RedisServer, startRedis } from "./redis-server";
import { createTemplate, createTestDatabase } from "./test-database";

/** One database and one console for all tests that need nothing special; each test makes accounts of its own in it. */
export default async function setUp(): Promise<() => Promise<void>> {
  const template = await createTemplate();
  const database = await createTestDatabase();
  // On real PostgreSQL the console runs as in production: its limit is in Redis, and it can write no file.
  const redis: RedisServer | null = process.env.E2E_POSTGRES_URL && has("redis-server") ? await startRedis() : null;
  // Tests stand behind one trusted proxy, so that each can come from an ip of its own.
  const variables = { TRUSTED_PROXIES: "1", ...(redis && { REDIS_URL: redis.url }) };
  await prepareForTests(database.url);
  const start = process.env.E2E_POSTGRES_URL ? startProductionConsole : startConsole;
  const app = await start(database.url, variables);
  process.env.DATABASE_URL = database.url;
  process.env.E2E_ORIGIN = app.origin;
  return async () => {
    await app.stop();
    await redis?.stop();
    await database.stop();
    await template.remove();
  };
}
