import { get } from "node:http";
import pg from "pg";
import { runSql } from "@/e2e/support/run-sql";
import { PlainError } from "@/lib/failures";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import { rangeParams } from "@/lib/format/time-range";
import { HISTORY_MEASURES } from "@/lib/servers/telemetry/bands";
import { RULE } from "@/lib/servers/telemetry/sum-statement";
import type { Bench, Target } from "./bench";
import { addSession } from "./database";
import { readCpuMs } from "./process-use";
import { median } from "./rounds";

/** The CPU (ms) that a page of any time within 30 days may take the app and PostgreSQL. */
const GOAL_MS = 100;

const KEPT_DAYS = 400;
const WARM_MS = 3 * SECOND;
const MEASURED_MS = 3 * SECOND;

/** What the pages of the noisiest server take, each line with a band over its whole range, and what they weigh. */
export async function charts(bench: Bench, rounds: number): Promise<(readonly string[])[]> {
  const { server, cookie } = await addNoisyServer(bench.data.url);
  const app = await bench.direct();
  const postgres = new pg.Client(bench.data.url);
  await postgres.connect();
  const page = `/dashboard/servers/${server}`;
  const now = Date.now();
  const time = (length: number, compare: Record<string, string> = {}) =>
    `${page}?${new URLSearchParams({ ...rangeParams({ from: now - length, to: now }), ...compare })}`;
  const paths = {
    "its settings, without charts": `${page}/settings`,
    "24 hours": `${page}?range=24h`,
    "30 days": `${page}?range=30d`,
    "any 16 hours: 960 points of check-ins": time(16 * HOUR),
    "any 30 days: 720 points of hours": time(30 * DAY),
    "the same beside the week before": time(30 * DAY, { compare: "7d" }),
    "any 41 days: 984 points of hours": time(41 * DAY),
  };
  const measured = new Map<string, Measured[]>();
  for (const path of Object.values(paths)) await measure(app, postgres, path, cookie, WARM_MS);
  for (let round = 0; round < rounds; round++) {
    for (const [name, path] of Object.entries(paths)) {
      measured.set(name, [...(measured.get(name) ?? []), await measure(app, postgres, path, cookie, MEASURED_MS)]);
    }
  }
  await postgres.end();
  const middle = (all: readonly Measured[], of: keyof Measured) => median(all.map((one) => one[of]));
  return [
    ["a server's page", "CPU of the app", "of PostgreSQL", `of ${GOAL_MS} ms`, "median", "bytes, gzip"],
    ...[...measured].map(([name, all]) => [
      name,
      `${middle(all, "cpuMs").toFixed(0)} ms`,
      `${middle(all, "ofPostgresMs").toFixed(0)} ms`,
      (median(all.map(({ cpuMs, ofPostgresMs }) => cpuMs + ofPostgresMs)) / GOAL_MS).toFixed(2),
      `${middle(all, "ms").toFixed(0)} ms`,
      middle(all, "bytes").toLocaleString("en"),
    ]),
  ];
}

/** Of one answer; medians but for the CPU, which is a mean. */
type Measured = { cpuMs: number; ofPostgresMs: number; ms: number; bytes: number };

/** Asks for a page again and again, as a browser does, one answer after the other. */
async function measure(
  { port, child }: Target,
  postgres: pg.Client,
  path: string,
  cookie: string,
  forMs: number,
): Promise<Measured> {
  const ofPostgresBefore = await cpuOf(postgres);
  const cpuBefore = readCpuMs(child.pid);
  const [times, sizes]: [number[], number[]] = [[], []];
  const until = performance.now() + forMs;
  do {
    const start = performance.now();
    sizes.push(await weigh(port, path, cookie));
    times.push(performance.now() - start);
  } while (performance.now() < until);
  return {
    cpuMs: (readCpuMs(child.pid) - cpuBefore) / times.length,
    ofPostgresMs: ((await cpuOf(postgres)) - ofPostgresBefore) / times.length,
    ms: median(times),
    bytes: median(sizes),
  };
}

/** The CPU (ms) that the app's connections have taken PostgreSQL so far; NaN when it runs elsewhere, or in a process of the app. */
async function cpuOf(postgres: pg.Client): Promise<number> {
  const { rows } = await postgres.query(
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return rows.reduce((sum, { pid }) => sum + readCpuMs(pid), 0);
}

/** The bytes of an answer as a browser receives them. @throws PlainError when there is no page. */
async function weigh(port: number, path: string, cookie: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ port, path, headers: { Cookie: cookie, "Accept-Encoding": "gzip" } }, (answer) => {
      if (answer.statusCode !== 200) reject(new PlainError(`${path} answered ${answer.statusCode}.`));
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.once("end", () => resolve(bytes)).once("error", reject);
    }).once("error", reject);
  });
}

/** A session, and a server of its account: a day of noise each half minute, before it noise by the hour, and 60 outages. */
async function addNoisyServer(url: string): Promise<{ server: number; cookie: string }> {
  const [server] = await runSql<{ id: number }>(
    url,
    `insert into servers (account_id, label, hostname, created_at, first_seen_at, last_seen_at, facts)
      select id, 'noisy', 'noisy.example.com', now() - $1 * interval '1 day', now() - $1 * interval '1 day', now(), '{"cores": 8}'
      from accounts where name = 'with 10 servers' returning id`,
    [KEPT_DAYS],
  );
  const id = server?.id ?? 0;
  await runSql(
    url,
    `insert into telemetry_samples (server_id, ts, cpu_pct, cpu_steal_pct, cpu_iowait_pct, load5, mem_used_mb,
        mem_total_mb, swap_used_pct, disk_used_pct, net_loss_pct, net_retransmit_pct, uptime_s)
      select $1, now() - i * interval '30 s', 100 * random(), 20 * random(), 30 * random(), 8, 16000 * random(), 16000,
        90 * random(), 100 * random(), 9 * random(), 9 * random(), 900000 from generate_series(1, 3600) i`,
    [id],
  );
  await runSql(
    url,
    `insert into telemetry_hours (server_id, hour, samples, rule, bands)
      select $1, date_trunc('hour', now(), 'UTC') - i * interval '1 hour', 120, $2, (
        select jsonb_object_agg(name, jsonb_build_array(round(low::numeric, 3), round((low + 13 * random())::numeric, 3),
          round((low + 31 + 37 * random())::numeric, 3), 60))
        from (select name, random() * 30 + i % 3 as low from unnest($3::text[]) name) noise)
      from generate_series(30, $4 * 24) i on conflict do nothing`,
    [id, RULE, HISTORY_MEASURES, KEPT_DAYS],
  );
  await runSql(
    url,
    `insert into console_presence (id, since, until) values (1, now() - $1 * interval '1 day', now())
      on conflict (id) do update set since = excluded.since`,
    [KEPT_DAYS],
  );
  await runSql(
    url,
    `insert into server_events (server_id, kind, started_at, ended_at)
      select $1, 'offline', now() - i * interval '1.5 days', now() - i * interval '1.5 days' + interval '20 minutes'
      from generate_series(1, 60) i`,
    [id],
  );
  return { server: id, cookie: await addSession(url, "with 10 servers") };
}
