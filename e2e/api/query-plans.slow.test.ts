import pg from "pg";
import { expect, test } from "vitest";
import { newAccount, newServer } from "@/e2e/support/factories";
import { sendSample } from "@/e2e/support/record-check-in";
import { type Query, recordQueries } from "@/e2e/support/recorded-queries";
import { createTestDatabase } from "@/e2e/support/test-database";
import type { Account } from "@/lib/accounts/accounts";
import { DAY, HOUR } from "@/lib/format/time";
import { getGameService, listGameServices } from "@/lib/game-services/game-services";
import { getMetrics } from "@/lib/game-services/metrics";
import { listBenchmarks } from "@/lib/servers/benchmarks";
import { listDays } from "@/lib/servers/events/days";
import { listEvents } from "@/lib/servers/events/events";
import { getAvailability } from "@/lib/servers/events/uptime";
import { getServer, listServers } from "@/lib/servers/servers";
import { getHistory, HISTORY_RANGES, listTrends } from "@/lib/servers/telemetry/history";
import { deleteOld } from "@/lib/sweep/retention";
import { authenticate } from "@/lib/tokens/authentication";
import { watchTokens } from "@/lib/tokens/events/endings";
import { listTokenNews } from "@/lib/tokens/events/token-events";
import { mintToken } from "@/lib/tokens/format";
import { listTokens } from "@/lib/tokens/management";

type Plan = { "Node Type": string; "Relation Name"?: string; Plans?: Plan[] };

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A million intervals and samples together, and tens of thousands of everything else, none of it of the account that asks. */
const OTHERS = `
  set session_replication_role = replica; -- Two million keys that are right need not be looked up.
  insert into accounts (name, email) select 'n', 'a' || i || '@example.com' from generate_series(1, 20000) i;
  insert into access_tokens (account_id, name, token_hash, hint)
    select 1 + i % 20000, 'n', encode(sha256(i::text::bytea), 'hex'), 'hint' from generate_series(1, 50000) i;
  update access_tokens set expires_at = now() + id * interval '1 hour' where id % 2 = 0;
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at, notice_due)
    select 'token', i, 1 + i % 20000, 'refused_after_end', now() - interval '9 days', now() - interval '8 days', false from generate_series(1, 50000) i;
  insert into servers (account_id, label, hostname) select 1 + i % 19000, 'l', 'h' from generate_series(1, 50000) i;
  do $$ declare parent text; day timestamptz; begin
    for parent, day in select p, date_trunc('day', now(), 'UTC') - n * interval '24 hours'
      from unnest(array['telemetry_samples', 'metric_samples']) p, generate_series(1, 10) n
    loop
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || '_' || to_char(day at time zone 'UTC', 'YYYYMMDD'), parent, day, day + interval '24 hours');
    end loop;
  end $$;
  -- From ten days ago to three days ahead, so that no partition is empty.
  insert into telemetry_samples (server_id, at, score)
    select 1 + i % 5000, now() + interval '3 days' - i / 5000 * interval '187 min', 1 from generate_series(1, 500000) i;
  insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills)
    select 1 + i % 5000, date_trunc('hour', now(), 'UTC') - i / 5000 * interval '1 hour', 1, 120, 0, 0 from generate_series(0, 99999) i;
  insert into events (subject, subject_id, kind, started_at, ended_at, notice_due)
    select 'server', 1 + i % 5000, 'offline', now() - i / 5000 * interval '1 day', now() - i / 5000 * interval '23 hours', false
    from generate_series(1, 100000) i;
  insert into maintenance_times (server_id, started_at, ended_at)
    select 1 + i % 5000, now() - i / 5000 * interval '1 day', now() - i / 5000 * interval '23 hours' from generate_series(1, 50000) i;
  update events set account_id = (select account_id from servers s where s.id = subject_id) where subject = 'server';
  insert into heartbeat (beat_at, judges_from) values (now(), now());
  insert into benchmark_runs (server_id, label, status, finished_at)
    select 1 + i % 1000, 'l', 'done', now() - i * interval '1 s' from generate_series(1, 50000) i;
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    select 1 + i % 19000, 'n', 'j', 'o', 1 from generate_series(1, 50000) i;
  insert into service_grants (service_id, account_id) select i, 1 + i % 19000 from generate_series(1, 50000) i;
  insert into tickets (account_id, service_id, subject) select 1 + i % 19000, i, 's' from generate_series(1, 50000) i;
  insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
    select 1 + i % 100, now() + interval '3 days' - i / 300 * interval '11 min', i / 100 % 3, 1, 1, 1, 1
    from generate_series(1, 500000) i;
  -- Of days that have no partition.
  insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections)
    select 1 + i % 100, now() - interval '40 days' - i / 300 * interval '1 hour', i / 100 % 3, 1, 1, 1, 1
    from generate_series(1, 50000) i;
  analyze`;

const READS_OR_WRITES = /^(select|with|insert|update|delete)\b/i;

test("no query scans a table, even with a million rows of other accounts", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(OTHERS);
  try {
    const sent = [
      ...(await queriesOf({ id: 7, name: "n", email: "a7@example.com", role: "customer" })),
      ...(await queriesOf({ id: 7, name: "n", email: "a7@example.com", role: "support" })),
    ];
    const ofHistory = await historyQueries();
    // Statements that begin or end connections and transactions have no plan to check.
    const queries = sent.filter(({ text }) => READS_OR_WRITES.test(text));
    expect(queries).toHaveLength(26);
    expect(ofHistory.filter(({ text }) => /^delete/i.test(text))).toHaveLength(1);
    expect(ofHistory.filter(({ text }) => /telemetry_hours/.test(text))).toHaveLength(3);
    queries.push(...ofHistory);
    for (const { text, values } of queries) {
      const { rows } = await client.query(`explain (format json) ${text}`, values);
      const plan = (rows[0]["QUERY PLAN"] as [{ Plan: Plan }])[0].Plan;
      const daysRead = new Set(nodesOf(plan).flatMap((node) => node["Relation Name"]?.match(/_samples_.+/) ?? [])).size;
      const instants = values.map(String).filter((value) => /^\d{4}-\d\d-\d\d/.test(value));
      const times = instants.map((instant) => Date.parse(instant.replace(/Z?$/, "Z")));
      // Queries with both ends of a time range read only the partitions of its days.
      if (times.length > 1) expect(daysRead, text).toBeLessThan((Math.max(...times) - Math.min(...times)) / DAY + 2);
      const scanned = nodesOf(plan).filter(
        // The catalogue of tables has as many rows as there are tables, and the console's heartbeat one.
        (node) => node["Node Type"] === "Seq Scan" && !/^(?:pg_|heartbeat$)/.test(node["Relation Name"] ?? ""),
      );
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

/** The distinct statements of the history, its sums, the trends and the deletion of old samples. */
async function historyQueries(): Promise<Query[]> {
  const { id: accountId } = await newAccount();
  const createdAt = new Date(Date.now() - 40 * DAY);
  const { id } = await newServer(accountId, { createdAt, lastSeenAt: createdAt });
  const times = [33 * DAY, 3 * HOUR, 0].map((age) => new Date(Date.now() - age));
  for (const at of times) await sendSample(id, at.getTime());
  const sent = await recordQueries(async () => {
    await deleteOld("hours", async () => true);
    for (const range of HISTORY_RANGES) await getHistory(id, range, Date.now());
    await listEvents(id, { from: Date.now() - 365 * DAY, to: Date.now() });
    await getAvailability(id, Date.now());
    await listDays(accountId, Date.now());
    await listTrends(accountId, [id], Date.now());
    await listTokenNews([7, 8], new Date());
    await watchTokens(Date.now());
  });
  const byText = new Map(sent.map((query) => [query.text, query]));
  return [...byText.values()].filter(({ text }) => READS_OR_WRITES.test(text));
}

/** The statements that the product sends for one round of all endpoints and the token page. */
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
