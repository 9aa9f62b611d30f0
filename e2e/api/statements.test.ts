import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { ask, getData } from "@/e2e/support/ask";
import { bearer } from "@/e2e/support/calls";
import { newAccount, newBenchmarkRun, newGameService, newServer } from "@/e2e/support/factories";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { ENDPOINTS } from "@/lib/api/contract";
import { db } from "@/lib/database/client";
import { STATEMENTS } from "@/lib/database/statement";
import { listServers } from "@/lib/servers/servers";

/** What reading a path sends to the database, which must answer with this status. */
const readingOf = (path: string, token: string, status = 200) =>
  recordQueries(async () => expect((await ask(path, { headers: bearer(token) })).status, path).toBe(status));

test("every endpoint costs a fixed number of statements, however much there is to answer", async () => {
  const account = await newAccount();
  const { id: serverId } = await newServer(account.id);
  const { id: serviceId } = await newGameService(account.id);
  await newServer(account.id);
  await newBenchmarkRun(serverId);
  await newBenchmarkRun(serverId);
  // The token was used just now, so its use is not written again.
  await db.accessToken.updateMany({ where: { accountId: account.id }, data: { lastUsedAt: new Date() } });
  const costs: Record<string, number> = { "/api/v1/me": 1, "/api/v1/game-services/:id/metrics": 3, "/metrics": 4 };
  for (const path of [...ENDPOINTS.map(([path]) => path), "/metrics"]) {
    const id = path.startsWith("/api/v1/servers") ? serverId : serviceId;
    const queries = await readingOf(path.replace(":id", String(id)), account.token);
    expect(queries, path).toHaveLength(costs[path] ?? 2);
  }
});

test("PostgreSQL prepares every declared statement, and no other file uses raw SQL", async () => {
  for (const path of sources()) {
    // `vacuum` names no column, and PostgreSQL cannot prepare it.
    const source = readFileSync(path, "utf8").replaceAll("$executeRaw`vacuum ", "");
    const isRaw = /\$(query|execute)Raw|pool\.query/.test(source);
    expect(isRaw, `${path} asks in raw SQL that is not declared`).toBe(
      path.startsWith(join("lib", "database")) && isRaw,
    );
  }
  await declareAll();
  expect(STATEMENTS.length).toBeGreaterThan(8);
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  for (const [index, { text, names }] of STATEMENTS.entries()) {
    await client.query(`prepare declared_${index} as ${text}`);
    const { rows } = await client.query(
      "select cardinality(parameter_types) as count from pg_prepared_statements where name = $1",
      [`declared_${index}`],
    );
    expect(rows, text).toEqual([{ count: names.length }]);
    await client.query(`deallocate declared_${index}`);
  }
  await client.end();
});

/** By which column the rows of large tables can be spread over machines (docs/operations.md). */
const SPREAD_BY: Readonly<Record<string, string>> = {
  telemetry_samples: "server_id",
  telemetry_hours: "server_id",
  maintenance_times: "server_id",
  events: "subject_id",
  metric_samples: "service_id",
};

test("keys of large tables begin with the column by which they can be spread", async () => {
  await declareAll();
  const tables = Object.keys(SPREAD_BY);
  const keys = await db.$queryRaw<{ table: string; first: string }[]>`
    select t.relname as table, a.attname as first from pg_index i join pg_class t on t.oid = i.indrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
    where i.indisunique and t.relname = any(${tables})`;
  expect(new Set(keys.map(({ table }) => table))).toEqual(new Set(tables));
  for (const { table, first } of keys) expect(first, table).toBe(SPREAD_BY[table]);
  expect(
    await db.$queryRaw`select tgname from pg_trigger join pg_class t on t.oid = tgrelid
      where not tgisinternal and t.relname = any(${tables})`,
  ).toEqual([]);
  for (const { text } of STATEMENTS) expect(text).not.toMatch(/\bctid\b/);
});

test("a malformed token costs no statement", async () => {
  const { token } = await newAccount();
  for (const malformed of [`${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`, "x".repeat(10_000), "cpat_"]) {
    expect(await readingOf("/api/v1/me", malformed, 401)).toEqual([]);
  }
  expect(await readingOf("/api/v1/me", token)).not.toEqual([]);
});

test("a thousand servers are one answer, complete and by id", async () => {
  const { id, token } = await newAccount();
  await db.$executeRaw`
    insert into servers (account_id, label, hostname)
    select ${id}, 'server ' || i, 'host' from generate_series(1, 1000) i`;
  await db.$executeRaw`
    insert into telemetry_samples (server_id, at, score, cpu_pct)
    select id, date_bin('10 s', now() - i * interval '30 s', 'epoch'), 900, 40 from servers, generate_series(1, 3) i where account_id = ${id}`;
  // As check-ins do: the rows are no longer stored in the order in which they were made.
  await db.$executeRaw`update servers set last_seen_at = now() where account_id = ${id} and id % 3 = 0`;

  expect(await recordQueries(() => listServers(id))).toHaveLength(1);
  const { servers } = await getData<{ servers: { id: number; label: string }[] }>("/api/v1/servers", token);
  expect(servers.map(({ label }) => label)).toEqual(Array.from({ length: 1000 }, (_, index) => `server ${index + 1}`));
});

/** Loads every module that declares a statement. */
async function declareAll(): Promise<void> {
  for (const path of sources()) {
    if (/from "(?:@\/lib\/database|\.)\/statement"/.test(readFileSync(path, "utf8"))) await import(resolve(path));
  }
}

/** Every source file that may ask the database, as a path from here. */
function sources(): string[] {
  return ["lib", join("prisma", "demo")].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("generated"))
      .map((path) => join(room, path)),
  );
}
