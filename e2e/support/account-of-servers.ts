import { SECOND } from "@/lib/format/time";
import { type Library, openLibrary } from "./library";
import { runSql } from "./run-sql";
import { createTestDatabase } from "./test-database";

/** A database with an account, and the product's functions over it. */
export async function withLibrary(use: (url: string, library: Library) => Promise<void>) {
  const database = await createTestDatabase();
  const library = await openLibrary(database.url);
  try {
    await runSql(database.url, "insert into accounts (name, email) values ('a', 'a@example.com')");
    await use(database.url, library);
  } finally {
    await library.stop();
    await database.stop();
  }
}

/** SQL: servers of that account, last seen so many seconds after one another from `from` on, by id. */
export const servers = (count: number, from: number, apart: number) => `
  insert into servers (account_id, label, hostname, created_at, last_seen_at)
  select 1, 's', 'h', now() - interval '90 days', to_timestamp(${from / SECOND} + n * ${apart}) from generate_series(1, ${count}) n`;
