import pg from "pg";
import { expect, getDataWhenServed, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { insertCaller } from "@/e2e/support/insert-caller";
import { SLOW } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { runDemo } from "@/e2e/support/running-command";
import { createTestDatabase } from "@/e2e/support/test-database";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

test("npm run demo with DATABASE_URL fills that database, and what it writes agrees", async () => {
  const database = await createTestDatabase();
  const port = await freePort();
  const demo = await runDemo({ DATABASE_URL: database.url, PORT: String(port) });
  const client = new pg.Client(database.url);
  await client.connect();
  const countOf = async (sql: string): Promise<number> =>
    (await client.query(`select count(*)::int as count from ${sql}`)).rows[0].count;
  const valuesOf = async (sql: string): Promise<unknown[]> =>
    (await client.query({ text: `select distinct ${sql} order by 1`, rowMode: "array" })).rows.map(([value]) => value);
  const theServer = async (condition: string): Promise<number> => {
    const { rows } = await client.query(
      `select id from (
         select *, (select count(*) from telemetry_samples where server_id = s.id) as samples,
           (select disk_used_pct from telemetry_samples where server_id = s.id order by at desc limit 1) as disk_used_pct
         from servers s where label <> 'This machine') as server where ${condition}`,
    );
    expect(rows, condition).toHaveLength(1);
    return rows[0].id;
  };
  try {
    expect(await countOf("accounts")).toBeGreaterThanOrEqual(6);
    expect(await valuesOf("role::text from accounts")).toEqual(["admin", "customer", "support"]);
    expect(await countOf("accounts where disabled_at is not null")).toBe(1);

    expect(await countOf("servers where label <> 'This machine'")).toBe(12);
    const hasSamples = "exists (select 1 from telemetry_samples where server_id = s.id)";
    expect(await countOf(`servers s where facts = '{}' and ${hasSamples}`)).toBe(0);
    const stopped = await theServer("samples > 0 and last_seen_at < now() - interval '2 hours'");
    const full = await theServer("disk_used_pct > 90");
    const token = /cpat_\w+/.exec(demo.output())?.[0] ?? "";
    const origin = `http://127.0.0.1:${port}`;
    type Detail = { online: boolean; score_notes: string[]; latest_sample: unknown };
    const detailOf = (id: number) => getDataWhenServed<Detail>(origin, `/api/v1/servers/${id}`, token);
    expect(await detailOf(stopped)).toMatchObject({ online: false, latest_sample: { cpu_pct: expect.any(Number) } });
    expect((await detailOf(full)).score_notes).toContainEqual(
      expect.stringMatching(/^Disk: 9[0-9](?:\.\d+)? % full \(full score up to 70 %\); costs \d+ points\.$/),
    );

    // Charts of a day, and those of the day before that it is compared with, are drawn from what was measured.
    const reporting = await countOf("servers where label <> 'This machine' and facts <> '{}'");
    await expect
      .poll(
        () => countOf("(select server_id from telemetry_samples where at < now() - interval '48 hours' group by 1) s"),
        SLOW,
      )
      .toBe(reporting);
    expect(await countOf("telemetry_samples where cpu_pct is null")).toBe(0);

    // The parts of a page that tell the same thing agree: keys and check-ins, tokens and their visitors, days and totals.
    expect(
      await countOf(`servers s join server_keys k on k.server_id = s.id
        where label <> 'This machine' and ${hasSamples} and k.last_used_at is distinct from s.last_seen_at
        and (k.last_used_at is null or abs(extract(epoch from k.last_used_at - s.last_seen_at)) > 90)`),
    ).toBe(0);
    expect(
      await countOf(`access_tokens t join token_visitors v on v.token_id = t.id
        where t.name <> 'demo'
        and (v.last_seen_at > greatest(t.last_used_at, t.last_refused_at) or v.first_seen_at < t.first_used_at)`),
    ).toBe(0);
    const dayOf = "from token_use_hours h where h.token_id = t.id and h.hour > now() - interval '24 hours'";
    expect(
      await countOf(`access_tokens t where last_used_at > now() - interval '22 hours' and name <> 'demo'
        and coalesce((select sum(requests - limited) ${dayOf}), 0) = 0`),
    ).toBe(0);
    expect(
      await countOf(`access_tokens t where last_refused_at > now() - interval '22 hours'
        and coalesce((select sum(refused) ${dayOf}), 0) not between 1 and refused_count`),
    ).toBe(0);
    const { limit } = API_REQUESTS;
    expect(
      await countOf(`token_use_hours where peak > ${limit} and limited < peak - ${limit} or limited > requests`),
    ).toBe(0);

    expect(await valuesOf("status::text from benchmark_runs")).toEqual(["done", "pending", "running"]);
    expect(await countOf("benchmark_runs where status = 'done' and total is not null and network is null")).toBe(1);
    expect(await countOf("benchmark_runs where status = 'done' and disk is null and total is null")).toBe(2);

    expect(await countOf("game_services")).toBe(8);
    expect(await countOf("game_services where support_access")).toBe(1);
    expect(await valuesOf("role::text from service_grants g join accounts a on a.id = g.account_id")).toEqual([
      "customer",
      "support",
    ]);
    expect(await valuesOf("status::text from tickets where service_id is not null")).toEqual(["closed", "open"]);
  } finally {
    await client.end();
    await demo.stop();
    await database.stop();
  }
});

test("the demo refuses a database with other accounts and leaves it unchanged", async () => {
  const database = await createTestDatabase();
  await insertCaller(database.url);
  try {
    await expect(runDemo({ DATABASE_URL: database.url, PORT: String(await freePort()) })).rejects.toThrow(
      /This database holds an account that the demo did not make\. .* nothing was changed\./,
    );
    const [counts] = await runSql(
      database.url,
      "select (select count(*) from accounts)::int a, (select count(*) from servers)::int s",
    );
    expect(counts).toEqual({ a: 1, s: 0 });
  } finally {
    await database.stop();
  }
});
