import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@/scripts/database";
import { bundled, startReadyProcess } from "./ready-process";
import { runSql } from "./run-sql";

export type TestDatabase = { url: string; stop(): Promise<void> };

const EMBEDDED = "e2e/support/embedded-database-process.ts";

/**
 * An empty, migrated database of the test's own, on the engine that the run is about: a database of the PostgreSQL
 * server at E2E_POSTGRES_URL, or an embedded one in memory. A copy of the template, so that not every test has to wait
 * for the migrations.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { E2E_POSTGRES_URL, E2E_TEMPLATE } = process.env;
  if (!E2E_TEMPLATE) throw new Error("There is no template: start the tests with npm test.");
  return E2E_POSTGRES_URL ? createOnServer(E2E_POSTGRES_URL, E2E_TEMPLATE) : createEmbedded([E2E_TEMPLATE]);
}

/** A database of the test's own without any table, on the engine that the run is about. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const { E2E_POSTGRES_URL } = process.env;
  return E2E_POSTGRES_URL ? createOnServer(E2E_POSTGRES_URL) : createEmbedded([]);
}

/** Makes the template for this run, as `npm run migrate` does, and names it in E2E_TEMPLATE. */
export async function createTemplate(): Promise<{ remove(): Promise<void> }> {
  const { E2E_POSTGRES_URL } = process.env;
  if (E2E_POSTGRES_URL) {
    const database = await createOnServer(E2E_POSTGRES_URL);
    await migrate(database.url);
    process.env.E2E_TEMPLATE = new URL(database.url).pathname.slice(1);
    return { remove: database.stop };
  }
  const dir = mkdtempSync(join(tmpdir(), "console-template-"));
  const file = join(dir, "template.tar");
  const { message: url, child, stop } = await startReadyProcess<string>(bundled(EMBEDDED));
  await migrate(url);
  child.send(file);
  await once(child, "message");
  await stop();
  process.env.E2E_TEMPLATE = file;
  return { remove: async () => rmSync(dir, { recursive: true, force: true }) };
}

async function createEmbedded(args: string[]): Promise<TestDatabase> {
  const { message, stop } = await startReadyProcess<string>(bundled(EMBEDDED), args);
  return { url: message, stop };
}

async function createOnServer(serverUrl: string, template = "template0"): Promise<TestDatabase> {
  const name = `console_${randomBytes(6).toString("hex")}`;
  await runSql(serverUrl, `create database ${name} template ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    stop: async () => void (await runSql(serverUrl, `drop database if exists ${name} with (force)`)),
  };
}
