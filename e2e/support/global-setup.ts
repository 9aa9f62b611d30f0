import { randomBytes } from "node:crypto";
import { startPostgres } from "./postgres-server";
import { startSharedConsole } from "./present-console";
import { startProductionConsole } from "./production-console";
import { has } from "./programs.mjs";
import { startRedis } from "./redis-server";
import { createTemplate } from "./test-database";

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
  const start = postgres ? startProductionConsole : undefined;
  // Notices are on, though nothing here sends any.
  const notices = {
    NOTICE_KEY: randomBytes(32).toString("base64"),
    ...{ SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "notices@example.com" },
  };
  const variables = { ...notices, ...(redis && { REDIS_URL: redis.url }) };
  const { origin, databaseUrl, log, stop } = await startSharedConsole(variables, start);
  process.env.E2E_LOG = log;
  process.env.DATABASE_URL = databaseUrl;
  process.env.E2E_ORIGIN = origin;
  return async () => {
    await stop();
    await redis?.stop();
    await template.remove();
    await postgres?.stop();
  };
}
