import { startConsole } from "@/e2e/support/console-server";
import { openLibrary } from "@/e2e/support/library";
import { startPostgres } from "@/e2e/support/postgres-server";
import { has } from "@/e2e/support/programs.mjs";
import { runSql } from "@/e2e/support/run-sql";
import { PlainError } from "@/lib/failures";
import { migrate } from "@/scripts/database";
import { median } from "./rounds";
import { TELLING, ToldCustomers } from "./told-customers";

const OUTAGES = 10_000;
const LOOKS = 20;
/** Customers who are told of something within eight seconds. */
const TOLD_AT_ONCE = 200;

/** An account with a channel, and as many servers and game services; each service has the event of its status. */
const FILL = `
  insert into accounts (name, email) values ('a', 'a@example.com');
  insert into notice_channels (account_id, kind, name, confirmed_at) values (1, 'webhook', 'a', now());
  insert into servers (account_id, label, hostname) select 1, 'server ' || n, 'h' from generate_series(1, ${OUTAGES}) n;
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port, status)
    select 1, 'service ' || n, 'h' || n || '.example.com', 'o.example.com', 25565, 'active' from generate_series(1, ${OUTAGES}) n;
  update service_events set notice_due = false;
  vacuum analyze`;
const OFFLINE =
  "insert into server_events (server_id, kind, started_at) select id, 'offline', now() - interval '1 hour' from servers";
/** What waits for what begins with it need not. */
const TELL_NOW = "update notice_incidents set look_at = now() where told_at is null";
const ONE_IS_BACK = "update server_events set ended_at = now() where server_id = 7";

const IN_PROCESS = "../bench/notices-in-process";

/**
 * What the look for something to tell costs, which each instance takes every two seconds, and how long after they are due
 * messages arrive: on a PostgreSQL of its own.
 */
export async function notices(): Promise<(readonly string[])[]> {
  if (!has("postgres")) throw new PlainError("This section needs PostgreSQL.");
  const postgres = await startPostgres();
  const run = async (text: string) => {
    for (const statement of text.split(/;\n/)) await runSql(postgres.url, statement);
  };
  try {
    await migrate(postgres.url);
    await run(FILL);
    const library = await openLibrary(postgres.url);
    const { timeLooks, timePlanning } = library.use<typeof import("@/bench/notices-in-process")>(IN_PROCESS);
    const quiet = await timeLooks(LOOKS);
    await run(OFFLINE);
    const begun = performance.now();
    while ((await timePlanning())[1] > 0) await run(TELL_NOW);
    const telling = performance.now() - begun;
    // As it is before PostgreSQL has looked at the new rows, and afterwards.
    const fresh = await timeLooks(LOOKS);
    await run("vacuum analyze");
    const told = await timeLooks(LOOKS);
    await run(ONE_IS_BACK);
    const [planning, accounts] = await timePlanning();
    await library.stop();
    const app = await startConsole(postgres.url, TELLING);
    const customers = await ToldCustomers.start(postgres.url);
    const late = await customers.measure(TOLD_AT_ONCE);
    await customers.stop();
    await app.stop();
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    const row = (what: string, times: readonly number[]) => [what, ms(median(times)), ms(Math.max(...times))];
    return [
      ["a look with nothing to do", "median", "longest"],
      row("nothing was told", quiet),
      [`telling of ${OUTAGES.toLocaleString("en")} outages of one account`, ms(telling), ""],
      row("they were told and go on", fresh),
      row("the same, after an analyze", told),
      [`the plan of ${accounts} account with one server of them back`, ms(planning), ""],
      [
        `from due to received, ${TOLD_AT_ONCE} customers, ${late.refused} of them not told`,
        ms(late.medianMs),
        ms(late.longestMs),
      ],
    ];
  } finally {
    await postgres.stop();
  }
}
