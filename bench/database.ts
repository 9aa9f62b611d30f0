import { randomBytes } from "node:crypto";
import pg from "pg";
import { runSql } from "@/e2e/support/run-sql";
import { DAY, MINUTE } from "@/lib/format/time";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { migrate } from "@/scripts/database";

/** How many servers the accounts have. */
const FLEETS = [10, 100, 1000] as const;
type Fleet = (typeof FLEETS)[number];
/** How many edge nodes report for the game service; one interval a minute each, for a week. */
const NODES = 4;

const SAMPLES = 20;
/** Enough tokens that none reaches its limit of 120 requests a minute. */
const TOKENS: Readonly<Record<Fleet, number>> = { 10: 1000, 100: 5000, 1000: 500 };

export type Filled = {
  url: string;
  tokens: Record<Fleet, string[]>;
  /** A key of each server. */
  keys: Record<Fleet, string[]>;
  /** A cookie of a session of each account. */
  cookies: Record<Fleet, string>;
  /** Of the account with 100 servers. */
  serviceId: number;
};

/** An empty database of its own on the server at `serverUrl`. */
export async function createScratchDatabase(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `console_bench_${randomBytes(6).toString("hex")}`;
  await runSql(serverUrl, `create database ${name} template template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => void (await runSql(serverUrl, `drop database if exists ${name} with (force)`));
  return { url: url.toString(), drop };
}

/** Migrates the database and fills it. */
export async function fill(url: string): Promise<Filled> {
  await migrate(url);
  const client = new pg.Client(url);
  await client.connect();
  try {
    const filled = { tokens: {}, keys: {}, cookies: {} } as Pick<Filled, "tokens" | "keys" | "cookies">;
    let serviceId = 0;
    for (const servers of FLEETS) {
      const accountId = await addAccount(client, `with ${servers} servers`);
      await addServers(client, accountId, servers);
      filled.tokens[servers] = await addTokens(client, accountId, TOKENS[servers]);
      filled.keys[servers] = await addKeys(client, accountId);
      filled.cookies[servers] = await addSession(client, accountId);
      if (servers === 100) serviceId = await addService(client, accountId);
    }
    await client.query("vacuum analyze");
    return { url, serviceId, ...filled };
  } finally {
    await client.end();
  }
}

async function addSession(client: pg.Client, accountId: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await client.query(
    "insert into sessions (token_hash, account_id, expires_at) values ($1, $2, now() + interval '30 days')",
    [hashToken(token), accountId],
  );
  return `${SESSION_COOKIE}=${token}`;
}

async function addAccount(client: pg.Client, name: string): Promise<number> {
  const email = `${name.replaceAll(" ", "-").toLowerCase()}@example.com`;
  const { rows } = await client.query("insert into accounts (name, email) values ($1, $2) returning id", [name, email]);
  return rows[0].id;
}

async function addTokens(client: pg.Client, accountId: number, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => mintToken());
  await client.query(
    `insert into access_tokens (account_id, name, token_hash, hint)
    select $1, 'bench', hash, 'xxxx' from unnest($2::text[]) hash`,
    [accountId, tokens.map((token) => hashToken(token))],
  );
  return tokens;
}

async function addKeys(client: pg.Client, accountId: number): Promise<string[]> {
  const { rows } = await client.query("select id from servers where account_id = $1", [accountId]);
  const keys = rows.map(() => mintToken("serverKey"));
  await client.query(
    `insert into server_keys (server_id, key_hash, hint)
    select id, hash, 'xxxx' from unnest($1::int[], $2::text[]) as given (id, hash)`,
    [rows.map(({ id }) => id), keys.map((key) => hashToken(key))],
  );
  return keys;
}

/** Each with a full day of check-ins. */
async function addServers(client: pg.Client, accountId: number, count: number): Promise<void> {
  const facts = { os: "Debian GNU/Linux 12", kernel: "6.1.0-28-amd64", cores: 8, cpu: "AMD EPYC", memory_mb: 16_000 };
  await client.query(
    `insert into servers (account_id, label, hostname, public_ip, created_at, first_seen_at, last_seen_at, facts, sampled_at,
      sample, cpu, memory, disk, network, stability, rated_by)
    select $1, 'Server ' || i, 'server-' || i || '.example.com', '192.0.2.7', now() - interval '9 days',
      now() - interval '9 days', now(), $2, now(), $3, 900, 900, 950, 900, 1000, $4 from generate_series(1, $5::int) i`,
    [accountId, JSON.stringify(facts), JSON.stringify(SAMPLE), JSON.stringify(RATED_BY), count],
  );
  await client.query(
    `insert into telemetry_samples (server_id, at, score, cpu_pct, cpu_steal_pct, cpu_iowait_pct, mem_used_pct, swap_used_pct,
      disk_used_pct, net_loss_pct, net_retransmit_pct)
    select s.id, date_bin('10 s', now() - i * interval '30 s', 'epoch'), 900, 61 + s.id % 20, 1, 2, 75, 0, 72, 0.2, 0.5
    from servers s, generate_series(0, $2::int - 1) i where s.account_id = $1`,
    [accountId, SAMPLES],
  );
  await client.query(
    `insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills, score_min, score_avg, score_max)
    select s.id, date_trunc('hour', now(), 'UTC') - i * interval '1 hour', (1::bigint << 60) - 1, 120, 0, 0, 900, 900, 900
    from servers s, generate_series(1, 24) i where s.account_id = $1`,
    [accountId],
  );
}

const SAMPLE = {
  ...{ cpu_pct: 72, cpu_steal_pct: 1, cpu_iowait_pct: 2, load5: 1.5, mem_used_mb: 12_000, mem_total_mb: 16_000 },
  ...{ swap_used_pct: 0, disk_used_pct: 72, net_loss_pct: 0.2, net_retransmit_pct: 0.5, uptime_s: 90_000 },
  ...{ oom_kills: 0, failed_units: 0 },
};
const RATED_BY = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null, cores: 8 };

async function addService(client: pg.Client, accountId: number): Promise<number> {
  const { rows } = await client.query(
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    values ($1, 'with nodes', 'play.example.com', '192.0.2.1', 25565) returning id`,
    [accountId],
  );
  await client.query(
    `insert into metric_samples (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms)
    select $1, now() - i * interval '1 min', n, 90000 + i, 7654321 + i * 100, i % 7, 40 + i % 50, 12.5 + i % 10
    from generate_series(0, $2::int) i, generate_series(1, $3::int) n`,
    [rows[0].id, (7 * DAY) / MINUTE - 1, NODES],
  );
  return rows[0].id;
}
