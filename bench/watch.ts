import { openLibrary } from "@/e2e/support/library";
import { startPostgres } from "@/e2e/support/postgres-server";
import { has } from "@/e2e/support/programs.mjs";
import { runSql } from "@/e2e/support/run-sql";
import { PlainError } from "@/lib/failures";
import { migrate } from "@/scripts/database";
import { readCpuMs } from "./process-use";
import { median } from "./rounds";

const SERVERS = 10_000;
const CHECK_INS = 2000;
const LOOKS = 40;

/** Servers with as much in their rows as daemons put there, seen in the last minute. */
const FILL = `
  insert into accounts (name, email) values ('a', 'a@example.com');
  insert into servers (account_id, label, hostname, created_at, last_seen_at, facts, stability, latest_sample_at, latest_sample)
  select 1, 'server ' || n, 'server-' || n || '.example.com', now() - interval '90 days', now() - n % 60 * interval '1 s',
    jsonb_build_object('os', 'Debian GNU/Linux 12', 'kernel', '6.1.0-28-amd64', 'cores', 8, 'cpu', repeat('x', 80)),
    jsonb_build_object('until', 0, 'minutes', repeat('60', 25), 'seen', md5(n::text) || repeat('f', 343), 'events', '[]'::jsonb),
    now(), json_build_object('cpu_pct', 12.5, 'mem_used_mb', 9000, 'mem_total_mb', 16000, 'disk_used_pct', 61.3, 'load5', 0.8)
  from generate_series(1, ${SERVERS}) n;
  vacuum analyze servers`;

/** As another program writes them. */
const OF_ANOTHER = `
  insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct, net_loss_pct)
    select n, now(), 97, 960, 1000, 95, 0 from generate_series(1, 500) n`;

const HOT = `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'servers'`;
const IN_PROCESS = "../bench/watch-in-process";

/**
 * What a look for silent servers costs (CPU, which other programs on the machine change less than times), and how many of the updates of check-ins are HOT: on a PostgreSQL of its own, without
 * a console around it.
 */
export async function watch(): Promise<(readonly string[])[]> {
  if (!has("postgres")) throw new PlainError("This section needs PostgreSQL.");
  const postgres = await startPostgres();
  try {
    await migrate(postgres.url);
    for (const statement of FILL.split(/;\n/)) await runSql(postgres.url, statement);
    // In a process each: what it counted reaches the statistics when its connections end.
    const storing = await openLibrary(postgres.url);
    await storing.use<typeof import("@/bench/watch-in-process")>(IN_PROCESS).storeCheckIns(SERVERS, CHECK_INS);
    await storing.stop();
    const updates = await runSql(postgres.url, HOT);
    const looking = await openLibrary(postgres.url);
    const { timeLooks } = looking.use<typeof import("@/bench/watch-in-process")>(IN_PROCESS);
    const timed = async () => {
      const before = readCpuMs(postgres.process().pid);
      const { times, cpuMs } = await timeLooks(LOOKS);
      return { times, cpuMs, ofPostgres: (readCpuMs(postgres.process().pid) - before) / LOOKS };
    };
    const quiet = await timed();
    await runSql(
      postgres.url,
      "update servers set last_seen_at = now() - id % 1000 * interval '1 h' where id % 10 = 0",
    );
    const first = await timeLooks(1);
    const silent = await timed();
    await runSql(postgres.url, OF_ANOTHER);
    const others = await timeLooks(1);
    await looking.stop();
    const ms = (value: number) => `${value.toFixed(1)} ms`;
    return [
      ["a look at 10,000 servers", "CPU of PostgreSQL", "CPU of the console", "median", "longest"],
      ...Object.entries({ "all of them heard": quiet, "1,000 of them silent for hours": silent }).map(
        ([name, { times, cpuMs, ofPostgres }]) => [
          name,
          ...[ofPostgres, cpuMs, median(times), Math.max(...times)].map(ms),
        ],
      ),
      ["the one that writes their 1,000 events", "", ms(first.cpuMs), ms(first.times[0] ?? 0), ""],
      [
        "the one that rates a sample of another program for each of 500 servers",
        ...["", ms(others.cpuMs), ms(others.times[0] ?? 0), ""],
      ],
      ["updates of servers by 2,000 check-ins", String(updates[0]?.all), `${updates[0]?.hot} of them HOT`, "", ""],
    ];
  } finally {
    await postgres.stop();
  }
}
