import { inject } from "vitest";
import { perProcess } from "@/lib/process/per-process.mjs";
import { runSql } from "./run-sql";
import { createTestDatabase } from "./test-database";

// In each worker, before its first file: a database of its own. Its later files find it.
process.env.E2E_POSTGRES_URL = inject("postgresUrl");
process.env.E2E_TEMPLATE = inject("template");
const { url } = await perProcess("test-database", async () => {
  const database = await createTestDatabase();
  // Instants are the same whatever time zone the database server speaks in.
  const name = new URL(database.url).pathname.slice(1);
  await runSql(database.url, `alter database ${name} set timezone = 'Asia/Kolkata'`);
  return database;
});
process.env.DATABASE_URL = url;
// Each test can come from an ip of its own.
process.env.TRUSTED_PROXIES = "1";
