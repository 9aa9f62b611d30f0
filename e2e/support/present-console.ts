import { runSql } from "./run-sql";

/** The console has been there for long, as in production, and judges who is silent. Its start is no absence. */
const PRESENT_FOR_LONG = `insert into heartbeat (id, beat_at, judges_from) values (1, now(), now() - interval '400 days')
  on conflict (id) do update set beat_at = excluded.beat_at, judges_from = excluded.judges_from`;

/** Fills a new database so that the console finds no absence of its own. */
export async function prepareForTests(databaseUrl: string): Promise<void> {
  await runSql(databaseUrl, PRESENT_FOR_LONG);
}
