import { expect, onTestFinished, test } from "vitest";
import { getData } from "@/e2e/support/ask";
import { SLOW, WHOLE_TEST } from "@/e2e/support/patience";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { startSimulator } from "./live";
import { seedDemo } from "./seed";

test("what the demo writes agrees, in each of its tables", { timeout: WHOLE_TEST }, async () => {
  const { builtAt, token } = await seedDemo();
  const sql = (text: string) => runSql<Record<string, unknown>>(String(process.env.DATABASE_URL), text);
  const countOf = async (from: string) => (await sql(`select count(*)::int as count from ${from}`))[0]?.count;
  const valuesOf = async (value: string) =>
    (await sql(`select distinct ${value} order by 1`)).flatMap((row) => Object.values(row));
  const theServer = async (condition: string): Promise<number> => {
    const rows = await sql(
      `select id from (
         select *, (select count(*) from telemetry_samples where server_id = s.id) as samples,
           (select disk_used_pct from telemetry_samples where server_id = s.id order by at desc limit 1) as disk_used_pct
         from servers s where label <> 'This machine') as server where ${condition}`,
    );
    expect(rows, condition).toHaveLength(1);
    return Number(rows[0]?.id);
  };
  expect(await countOf("accounts")).toBeGreaterThanOrEqual(6);
  expect(await valuesOf("role::text from accounts")).toEqual(["admin", "customer", "support"]);
  expect(await countOf("accounts where disabled_at is not null")).toBe(1);

  expect(await countOf("servers where label <> 'This machine'")).toBe(12);
  const hasSamples = "exists (select 1 from telemetry_samples where server_id = s.id)";
  expect(await countOf(`servers s where facts = '{}' and ${hasSamples}`)).toBe(0);
  const stopped = await theServer("samples > 0 and last_seen_at < now() - interval '2 hours'");
  const full = await theServer("disk_used_pct > 90");
  type Detail = { online: boolean; score_notes: string[]; latest_sample: unknown };
  const detailOf = (id: number) => getData<Detail>(`/api/v1/servers/${id}`, token);
  expect(await detailOf(stopped)).toMatchObject({ online: false, latest_sample: { cpu_pct: expect.any(Number) } });
  expect((await detailOf(full)).score_notes).toContainEqual(
    expect.stringMatching(/^Disk: 9[0-9](?:\.\d+)? % full \(full score up to 70 %\); costs \d+ points\.$/),
  );

  // Charts of a day, and those of the day before that it is compared with, are drawn from what was measured.
  const simulator = startSimulator(builtAt);
  onTestFinished(simulator.stop);
  const reporting = await countOf("servers where label <> 'This machine' and facts <> '{}'");
  await expect
    .poll(
      () => countOf("(select server_id from telemetry_samples where at < now() - interval '48 hours' group by 1) s"),
      { ...SLOW, interval: 2 * SECOND },
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
});
