import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { call, expect, test } from "@/e2e/support/fixtures";
import { insertCaller } from "@/e2e/support/insert-caller";
import { needs } from "@/e2e/support/needs";
import { type PostgresServer, startPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";
import { MAX_NODES } from "@/lib/game-services/edges/nodes";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { migrate } from "@/scripts/database";

// As many edge nodes as there can be, all waiting at one console for a change. PostgreSQL counts what that costs it.

const CONFIGURATION = "/ingest/v1/edge/configuration";
const WINDOW = 5 * SECOND;

test.describe("a thousand edge nodes wait", { tag: "@waits" }, () => {
  needs("postgres");

  let postgres: PostgresServer;
  let app: ConsoleServer;
  test.beforeEach(async () => {
    postgres = await startPostgres();
    await sql("alter system set shared_preload_libraries = 'pg_stat_statements'");
    await postgres.kill();
    await postgres.restart();
    await migrate(postgres.url);
    await sql("create extension pg_stat_statements");
    app = await startConsole(postgres.url);
  });
  test.afterEach(async () => {
    await app?.stop();
    await postgres?.stop();
  });

  const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
    runSql<Row>(postgres.url, text, values);

  /** Nodes as `npm run console -- edge add` makes them. Returns their keys. */
  async function newNodes(count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, () => mintToken("edgeKey"));
    await sql(
      `with n as (insert into edge_nodes (name) select 'node-' || i from generate_series(1, $1::int) i returning id)
       insert into edge_node_keys (node_id, key_hash, hint)
       select id, hash, right(hash, 4) from (select id, row_number() over () as at from n) n
       join unnest($2::text[]) with ordinality as k (hash, at) using (at)`,
      [count, keys.map(hashToken)],
    );
    return keys;
  }

  async function fetchConfiguration(key: string, headers: Record<string, string> = {}) {
    const response = await fetch(app.origin + CONFIGURATION, {
      headers: { Authorization: `Bearer ${key}`, ...headers },
    });
    await response.arrayBuffer();
    return { status: response.status, etag: response.headers.get("etag") ?? "" };
  }

  /** The requests of these nodes for what comes after `etag`, and how many of them are answered. */
  function waitAll(keys: readonly string[], etag: string) {
    let answered = 0;
    const answers = Promise.all(
      keys.map(async (key) => {
        const answer = await fetchConfiguration(key, { "If-None-Match": etag, Prefer: "wait=25" });
        answered++;
        return answer;
      }),
    );
    return { answers, answered: () => answered };
  }

  /** All of them are known by their keys, so the requests are held from now on. */
  const untilHeard = (after: Date) =>
    expect
      .poll(
        async () => {
          const heard = await sql("select 1 from edge_nodes where last_heard_at >= $1", [after]);
          return heard.length;
        },
        { timeout: 20 * SECOND, intervals: [100] },
      )
      .toBe(MAX_NODES);

  test("they cost one query a second, delay nobody and are released by one change", async () => {
    const [keys, token] = [await newNodes(MAX_NODES), await insertCaller(postgres.url)];
    const [first = ""] = keys;
    const [service] = await sql<{ id: number }>(
      `insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish)
       select id, 'Survival', 'play.example.com', '192.0.2.80', 25565, 'on' from accounts returning id`,
    );
    const { etag } = await fetchConfiguration(first);

    const held = waitAll(keys, etag);
    await untilHeard(new Date(0));
    // What followed from their first request is done: each service waits for the nodes that are new.
    await expect
      .poll(() => sql("select 1 from edge_nodes where unsettled_since is not null"), { timeout: 20 * SECOND })
      .toEqual([]);
    // The first sweep asks about nodes, too. The next one comes an hour later.
    await expect
      .poll(() => sql("select 1 as done from sweeps where finished_at is not null"), { timeout: 20 * SECOND })
      .toHaveLength(1);
    await sql("select pg_stat_statements_reset()");
    const begun = Date.now();
    expect((await call("/api/v1/me", token, { origin: app.origin })).status).toBe(200);
    expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, WINDOW));
    const asked = await sql<{ query: string; calls: number }>(
      `select query, calls::int from pg_stat_statements
       where userid = (select oid from pg_roles where rolname = current_user) and calls > 0 and query ~ 'edge_nodes'`,
    );
    const seconds = (Date.now() - begun) / SECOND;
    expect(held.answered()).toBe(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.query).toContain("string_agg");
    expect(asked[0]?.calls).toBeGreaterThan(0);
    expect(asked[0]?.calls).toBeLessThanOrEqual(Math.ceil(seconds) + 1);

    await sql("update game_services set origin_port = 25570, config_version = config_version + 1 where id = $1", [
      service?.id,
    ]);
    const released = await held.answers;
    const { etag: next } = await fetchConfiguration(first);
    expect(next).not.toBe(etag);
    expect(new Set(released.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 200, etag: next })]),
    );

    // `last_heard_at` is written every ten seconds; here the second round counts from its own beginning.
    await sql("update edge_nodes set last_heard_at = now() - interval '20 seconds'");
    const again = new Date();
    const ending = waitAll(keys, next);
    await untilHeard(again);
    expect(ending.answered()).toBe(0);
    await app.stop();
    const ended = await ending.answers;
    expect(new Set(ended.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 304, etag: next })]),
    );
    expect(app.child.exitCode).toBe(0);
  });
});
