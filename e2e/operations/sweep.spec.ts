import { command } from "@/e2e/support/command";
import { expect, own, test } from "@/e2e/support/fixtures";
import { partitionsOf, runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";

/** Rows of every kind that expires: too old, not too old, and those that must stay at any age. */
const FILL = `
  insert into accounts (name, email) values ('a', 'a@example.com');
  insert into servers (account_id, label, hostname, created_at, last_seen_at)
    select 1, 'l', 'h', now() - interval '500 days', now() - interval '33 days' from generate_series(1, 3);
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'n', 'j', 'o', 1);
  ${partitionsOf("telemetry_samples", [1, 7, 8, 9, 31, 32, 33])}
  ${partitionsOf("metric_samples", [1, 7, 8, 9])}
  insert into telemetry_samples (server_id, at, score)
    select 1, date_trunc('day', now(), 'UTC') - day * interval '24 hours' + n * interval '1 min', 50
    from unnest(array[1, 31, 32, 33]) day, generate_series(0, 9) n;
  -- Of a server that is gone with its account.
  insert into telemetry_samples (server_id, at, score) values (99, date_trunc('day', now(), 'UTC') - interval '24 hours', 1);
  insert into metric_samples select 1, date_trunc('day', now(), 'UTC') - day * interval '24 hours', 1, 1, 1, 1, 1, 1
    from unnest(array[0, 1, 7, 8, 9, 12]) day;
  insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills)
    select 1, date_trunc('hour', now(), 'UTC') - n * interval '1 day', 1, 120, 0, 0 from unnest(array[399, 401, 450]) n;
  insert into events (subject, subject_id, kind, started_at, ended_at)
    select 'server', 1, 'offline', now() - n * interval '1 day' - interval '5 min', now() - n * interval '1 day'
    from unnest(array[399, 401, 450]) n;
  -- One that goes on stays, however old it is.
  insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'offline', now() - interval '450 days');
  insert into maintenance_times (server_id, started_at, ended_at)
    select 1, now() - (n + 1) * interval '1 day', now() - n * interval '1 day' from unnest(array[398, 402]) n;
  insert into events (subject, subject_id, kind, started_at, ended_at)
    select 'server', 2, 'offline', now() - n * interval '10 min', now() - n * interval '10 min' + interval '5 min'
    from generate_series(1, 10005) n;
  insert into benchmark_runs (server_id, label, status, finished_at, log)
    select 1 + n % 2, 'run ' || n, 'done', now() - n * interval '1 hour', 'log' from generate_series(1, 410) n;
  insert into benchmark_runs (server_id, label, status, created_at)
    select 1, 'open', 'pending', now() - n * interval '1 day' from unnest(array[29, 31]) n;
  insert into sessions (token_hash, account_id, expires_at)
    select md5(n::text), 1, now() - n * interval '1 day' from unnest(array[-1, 29, 31]) n;
  insert into access_tokens (account_id, name, token_hash, hint, created_at, revoked_at, expires_at)
    select 1, 'n', encode(sha256(n::text::bytea), 'hex'), 'hint', now() - interval '1 year',
      case when n % 2 = 0 then now() - n * interval '1 day' end, case when n % 2 = 1 then now() - n * interval '1 day' end
    from unnest(array[-3, 1, 88, 89, 91, 92]) n;
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at)
    select 'token', 1, 1, 'new_network', now() - n * interval '1 day' - interval '5 min', now() - n * interval '1 day'
    from unnest(array[399, 401, 450]) n;
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at)
    select 'token', 2, 1, 'new_network', now() - n * interval '10 s', now() - n * interval '10 s' from generate_series(1, 10005) n;
  insert into events (subject, subject_id, account_id, kind, started_at) values ('service', 1, 1, 'active', now() - interval '450 days');
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at)
    select 'service', 1, 1, 'failed', now() - n * interval '1 day' - interval '5 min', now() - n * interval '1 day'
    from unnest(array[399, 401, 450]) n;
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'm', 'k', 'o', 1);
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at)
    select 'service', 2, 1, 'failed', now() - n * interval '10 min', now() - n * interval '10 min' from generate_series(1, 10005) n;
  insert into token_use_hours (token_id, hour) select 1, now() - n * interval '1 hour' from unnest(array[1, 24, 26]) n;
  insert into server_keys (server_id, key_hash, hint, expires_at)
    select 1, encode(sha256(n::text::bytea), 'hex'), 'hint', now() + n * interval '1 hour' from unnest(array[-1, 1]) n;
  insert into server_keys (server_id, key_hash, hint) values (1, encode(sha256('now'), 'hex'), 'hint');
  insert into notice_channels (account_id, kind, name) values (1, 'webhook', 'c');
  insert into notice_messages (channel_id, account_id, content, state, next_at, created_at)
    select 1, 1, '{}', 'delivered', now(), now() - n * interval '1 day' from unnest(array[29, 31]) n;
  -- One that was told and goes on stays, however old it is.
  insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, state, started_at, ended_at, due_at, next_at)
    select 1, 1, 'server', 1, n, 'begin', 'offline', 'l', 'told', now() - n * interval '1 day',
      case when n <> 40 then now() - n * interval '1 day' + interval '5 min' end, now() - n * interval '1 day', now() from unnest(array[29, 31, 40]) n;
  -- Those of the second channel are too many.
  insert into notice_channels (account_id, kind, name) values (1, 'webhook', 'd');
  insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, state, started_at, ended_at, due_at, next_at)
    select 2, 1, 'server', 1, n, 'begin', 'offline', 'l', 'told', now(), now(), now(), now() from generate_series(1, 10003) n;
  insert into notice_confirmations (account_id, email_hash, sent_at)
    select 1, 'h', now() - n * interval '1 day' from unnest(array[1, 3]) n;
  insert into server_snoozes (server_id, until) values (2, now() - interval '1 min'), (3, now() + interval '1 hour');
  insert into edge_nodes (name) values ('n');
  insert into edge_node_minutes (node_id, ts) select 1, now() - n * interval '1 minute' from unnest(array[1, 179, 181]) n;
  insert into hostname_claims (hostname, service_id, claimed_at)
    select 'lapsed-' || n, 1, now() - n * interval '1 day' from unnest(array[6, 8]) n`;

const COUNT = `select
  (select count(*)::int from telemetry_samples where server_id = 1) as "samples",
  (select count(*)::int from telemetry_samples where server_id = 99) as "samplesOfNobody",
  (select count(*)::int from metric_samples) as intervals,
  (select count(*)::int from telemetry_hours where server_id = 1 and samples = 120) as hours,
  (select count(*)::int from events where subject = 'server' and subject_id = 1) as events,
  (select count(*)::int from events where subject = 'server' and subject_id = 2) as "manyEvents",
  (select count(*)::int from events where subject = 'token' and subject_id = 1) as "tokenEvents",
  (select count(*)::int from events where subject = 'token' and subject_id = 2) as "manyTokenEvents",
  (select count(*)::int from events where subject = 'service' and subject_id = 1) as "serviceEvents",
  (select count(*)::int from events where subject = 'service' and subject_id = 2) as "manyServiceEvents",
  (select count(*)::int from maintenance_times) as maintenance,
  (select count(*)::int from benchmark_runs where status = 'done') as runs,
  (select count(*)::int from benchmark_runs where log <> '') as logs,
  (select count(*)::int from benchmark_runs where status <> 'done') as "openRuns",
  (select count(*)::int from sessions) as sessions,
  (select count(*)::int from access_tokens) as tokens,
  (select count(*)::int from token_use_hours) as "useHours",
  (select count(*)::int from server_keys) as keys,
  (select count(*)::int from edge_node_minutes) as "nodeMinutes",
  (select count(*)::int from notices where channel_id = 1) as notices,
  (select count(*)::int from notices where channel_id = 2) as "manyNotices",
  (select count(*)::int from notice_messages) as messages,
  (select count(*)::int from notice_confirmations) as confirmations,
  (select count(*)::int from server_snoozes) as snoozes`;

test("npm run console -- sweep deletes expired rows of every kind and reports it", async () => {
  const database = await own(createTestDatabase());
  await runSql(database.url, FILL);
  const { code, stdout, stderr } = await command(["console", "sweep"], { DATABASE_URL: database.url });
  expect({ code, lines: stdout.trim().split("\n").length }, stderr).toEqual({ code: 0, lines: 1 });
  const line = JSON.parse(stdout);
  expect(line).toMatchObject({
    event: "swept",
    servers_gone: 1,
    sample_days: 2,
    sessions: 1,
    tokens: 2,
    use_hours: 1,
    keys: 1,
    claims: 1,
    hours: 2,
  });
  const left = {
    samples: 20,
    samplesOfNobody: 0,
    intervals: 4,
    hours: 1,
    events: 2,
    manyEvents: 10_000,
    tokenEvents: 1,
    manyTokenEvents: 10_000,
    // One of them is its status, which goes on.
    serviceEvents: 2,
    manyServiceEvents: 10_000,
    maintenance: 1,
    runs: 400,
    logs: 10,
    openRuns: 1,
    sessions: 2,
    tokens: 4,
    useHours: 2,
    keys: 2,
    nodeMinutes: 2,
    notices: 2,
    manyNotices: 10_000,
    messages: 1,
    confirmations: 1,
    snoozes: 1,
  };
  expect(await runSql(database.url, COUNT)).toEqual([left]);
  const [row] = await runSql(database.url, "select holder, finished_at <= now() as ended, report from sweeps");
  expect(row).toMatchObject({ holder: null, ended: true, report: { sessions: 1, intervals: 1, failed: [] } });
});
