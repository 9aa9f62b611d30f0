import { randomBytes } from "node:crypto";
import pg from "pg";
import { migrate } from "@/scripts/database";
import { startReadyProcess } from "./ready-process";

export type TestDatabase = { url: string; stop(): Promise<void> };

/**
 * An empty, migrated database of the test's own, on the engine that the run is about: a database of the PostgreSQL
 * server at E2E_POSTGRES_URL, or an embedded one in memory.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const database = process.env.E2E_POSTGRES_URL
    ? await createOnServer(process.env.E2E_POSTGRES_URL)
    : await createEmbedded();
  await migrate(database.url);
  return database;
}

async function createEmbedded(): Promise<TestDatabase> {
  const { message, stop } = await startReadyProcess<string>("e2e/support/embedded-database-process.ts");
  return { url: message, stop };
}

/** A new database on a PostgreSQL server that may be thrown away. */
export async function createOnServer(serverUrl: string): Promise<TestDatabase> {
  const name = `console_${randomBytes(6).toString("hex")}`;
  await runOnServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.toString(), stop: () => runOnServer(serverUrl, `drop database if exists ${name} with (force)`) };
}

async function runOnServer(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(sql);
  await client.end();
}
