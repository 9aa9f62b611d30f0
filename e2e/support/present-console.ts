import { runSql } from "./run-sql";

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

/** Fills a new database so that the watcher of its console finds nothing in the rows of tests. */
export async function prepareForTests(databaseUrl: string): Promise<void> {
  await runSql(databaseUrl, STEADY_FLEET);
  await runSql(databaseUrl, PRESENT_FOR_LONG);
}
