import pg from "pg";
import { expect, test } from "@/e2e/support/fixtures";
import { type Query, recordQueries } from "@/e2e/support/recorded-queries";
import { createTestDatabase } from "@/e2e/support/test-database";
import type { Account } from "@/lib/accounts/accounts";
import { getGameService, listGameServices } from "@/lib/game-services/game-services";
import { getMetrics } from "@/lib/game-services/metrics";
import { listBenchmarks } from "@/lib/servers/benchmarks";
import { getServer, listServers } from "@/lib/servers/servers";
import { SECOND } from "@/lib/time";
import { authenticate } from "@/lib/tokens/authentication";
import { mintToken } from "@/lib/tokens/format";
import { listTokens } from "@/lib/tokens/management";

type Plan = { "Node Type": string; "Relation Name"?: string; Plans?: Plan[] };

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A million intervals and samples, and tens of thousands of everything else, none of it of the account that asks. */
const OTHERS = `
  insert into accounts (name, email) select 'n', 'a' || i || '@example.com' from generate_series(1, 20000) i;
  insert into access_tokens (account_id, name, token_hash, hint)
    select 1 + i % 20000, 'n', encode(sha256(i::text::bytea), 'hex'), 'hint' from generate_series(1, 50000) i;
  insert into servers (account_id, label, hostname) select 1 + i % 19000, 'l', 'h' from generate_series(1, 50000) i;
  insert into telemetry_samples (server_id, ts, cpu_pct)
    select 1 + i % 5000, now() - i / 5000 * interval '30 s', 1 from generate_series(0, 999999) i;
  insert into benchmark_runs (server_id, label, status, finished_at)
    select 1 + i % 1000, 'l', 'done', now() - i * interval '1 s' from generate_series(1, 50000) i;
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    select 1 + i % 19000, 'n', 'j', 'o', 1 from generate_series(1, 50000) i;
  insert into service_grants (service_id, account_id) select i, 1 + i % 19000 from generate_series(1, 50000) i;
  insert into tickets (account_id, service_id, subject) select 1 + i % 19000, i, 's' from generate_series(1, 50000) i;
  insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
    select 1 + i % 100, now() - i / 300 * interval '1 min', i / 100 % 3, 1, 1, 1, 1 from generate_series(0, 999999) i;
  analyze`;

test("no query of any endpoint scans a table, with a million rows of other accounts in it", async () => {
  test.setTimeout(300 * SECOND);
  const database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(OTHERS);
  try {
    const sent = [
      ...(await queriesOf({ id: 7, name: "n", email: "a7@example.com", role: "customer" })),
      ...(await queriesOf({ id: 7, name: "n", email: "a7@example.com", role: "support" })),
    ];
    // What a new connection begins with reads nothing.
    const queries = sent.filter(({ text }) => !text.startsWith("set time zone"));
    expect(queries).toHaveLength(26);
    for (const { text, values } of queries) {
      const { rows } = await client.query(`explain (format json) ${text}`, values);
      const plan = (rows[0]["QUERY PLAN"] as [{ Plan: Plan }])[0].Plan;
      const scanned = nodesOf(plan).filter((node) => node["Node Type"] === "Seq Scan");
      expect(
        scanned.map((node) => node["Relation Name"]),
        text,
      ).toEqual([]);
    }
  } finally {
    await client.end();
    await database.stop();
  }
});

/** What the product's own functions send for one round of all endpoints and the token page. */
function queriesOf(account: Account): Promise<Query[]> {
  const ignoreNotFound = () => {};
  return recordQueries(async () => {
    await authenticate(mintToken(), { ip: null, agent: null });
    await listServers(account.id);
    await getServer(account.id, "6").catch(ignoreNotFound);
    await listBenchmarks(account.id, "6").catch(ignoreNotFound);
    await listGameServices(account.id);
    await getGameService(account, "6").catch(ignoreNotFound);
    await getGameService(account, "40000").catch(ignoreNotFound);
    for (const range of ["1h", "24h", "7d"]) {
      await getMetrics(account, "6", new URLSearchParams({ range })).catch(ignoreNotFound);
    }
    await listTokens(account.id, new Date());
  });
}
