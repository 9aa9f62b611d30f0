import { startConsole } from "./console-server";
import { makePackage, startPackagedConsole } from "./packaged-console";
import { has } from "./programs.mjs";
import { type RedisServer, startRedis } from "./redis-server";
import { runSql } from "./run-sql";
import { createTemplate, createTestDatabase } from "./test-database";

/**
 * Servers that report all the time. The tests make servers that report once: without these, most would fall silent at the
 * same moment, as when the way to the console is cut.
 */
const STEADY_FLEET = `
  with owner as (insert into accounts (name, email) values ('Steady', 'steady@example.com') returning id)
  insert into servers (account_id, label, hostname, last_seen_at)
  select id, 'Steady', 'steady.example.com', '2100-01-01' from owner, generate_series(1, 2000)`;

/** The console has recorded what happens for long, as in production. Its start is no absence. */
const PRESENT_FOR_LONG = `insert into console_presence (since, until)
  values (now() - interval '400 days', now() + interval '50 seconds')`;

/** One database and one console for all tests that need nothing special; each test makes accounts of its own in it. */
export default async function setUp(): Promise<() => Promise<void>> {
  const template = await createTemplate();
  const database = await createTestDatabase();
  await runSql(database.url, STEADY_FLEET);
  // On real PostgreSQL the console runs as in production: its limit is in Redis.
  const redis: RedisServer | null = process.env.E2E_POSTGRES_URL && has("redis-server") ? await startRedis() : null;
  // Tests stand behind one trusted proxy, so that each can come from an ip of its own.
  const variables = { TRUSTED_PROXIES: "1", ...(redis && { REDIS_URL: redis.url }) };
  // And from the package, as in production.
  const ofPackage = process.env.E2E_POSTGRES_URL ? await makePackage() : null;
  await runSql(database.url, PRESENT_FOR_LONG);
  const app = ofPackage
    ? await startPackagedConsole(ofPackage, database.url, variables)
    : await startConsole(database.url, variables);
  process.env.DATABASE_URL = database.url;
  process.env.E2E_ORIGIN = app.origin;
  return async () => {
    await app.stop();
    await redis?.stop();
    await database.stop();
    await template.remove();
    ofPackage?.remove();
  };
}
