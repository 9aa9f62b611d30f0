import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeDatabase } from "@/e2e/support/described-database";
import {
  BASELINE,
  earlierDatabase,
  emptyDatabase,
  migratedDatabase,
  recordsOf,
  refusalOf,
} from "@/e2e/support/migrated-databases";
import { runSql } from "@/e2e/support/run-sql";
import { tempFolder } from "@/e2e/support/temp-folder";
import { migrate } from "@/scripts/database";
import { requireMigrated } from "@/scripts/require-migrated";

// A database of the last version before the baseline is adopted, with what it holds.

test("adopting a database of the last version before the baseline only records the baseline", async () => {
  const url = await earlierDatabase();
  const rows = async () =>
    Promise.all(
      ["accounts", "servers", "telemetry_samples", "game_services", "access_tokens", "service_events"].map((table) =>
        runSql(url, `select * from ${table} order by 1, 2`),
      ),
    );
  const before = [await describeDatabase(url), await rows()];
  const records = await recordsOf(url);
  expect(records).toHaveLength(33);
  const folder = folderOf([BASELINE]);
  await migrate(url, { folder });
  expect([await describeDatabase(url), await rows()]).toEqual(before);
  expect(await recordsOf(url)).toEqual([
    ...records,
    expect.objectContaining({ migration_name: BASELINE, is_done: true }),
  ]);
  expect(await requireMigrated(url, folder)).toBeNull();
  const other = await emptyDatabase();
  await migrate(other, { folder });
  expect(await describeDatabase(other)).toEqual(before[0]);
});

test("an adopted database keeps its servers' times, samples, hours and open outages", async () => {
  const url = await earlierDatabase();
  await runSql(
    url,
    `delete from servers;
     insert into servers (id, account_id, label, hostname, created_at, last_seen_at)
       select n, (select min(id) from accounts), 's' || n, '', '2026-11-01', case when n = 1 then timestamptz '2026-11-01' else '2026-11-20' end
       from generate_series(1, 2) n;
     insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb)
       values (2, '2026-11-20 10:00:03', 12.5, 1, 4), (2, '2026-11-20 10:00:07', 99, 1, 4), (2, '2026-11-20 10:00:31', 14.5, 1, 4);
     insert into telemetry_hours (server_id, hour, samples, bands) values
       (2, '2026-11-20 10:00', 3, '{"score": [600, 650.4, 700, 60], "cpuPct": [12.5, 42, 99, 3]}');
     insert into server_events (server_id, kind, started_at, ended_at) values
       (2, 'offline', '2026-11-20 10:02:31', null), (2, 'unknown', '2026-11-19', '2026-11-19 01:00'), (2, 'critical', '2026-11-20 09:00', null)`,
  );
  await migrate(url);
  expect(await runSql(url, "select id, first_seen_at, last_seen_at, offline_since from servers order by id")).toEqual([
    { id: 1, first_seen_at: null, last_seen_at: null, offline_since: null },
    {
      id: 2,
      first_seen_at: new Date("2026-11-01T00:00:00Z"),
      last_seen_at: new Date("2026-11-20T00:00:00Z"),
      offline_since: new Date("2026-11-20T10:02:31Z"),
    },
  ]);
  expect(await runSql(url, "select at, score, mem_used_pct from telemetry_samples order by at")).toEqual([
    { at: new Date("2026-11-20T10:00:00Z"), score: 650, mem_used_pct: 25 },
    { at: new Date("2026-11-20T10:00:30Z"), score: 650, mem_used_pct: 25 },
  ]);
  const hours = "select samples, seen::int, score_min, score_max, cpu_pct_max, disk_used_pct_avg from telemetry_hours";
  expect(await runSql(url, hours)).toEqual([
    { samples: 3, seen: 3, score_min: 600, score_max: 700, cpu_pct_max: 99, disk_used_pct_avg: null },
  ]);
  expect(
    await runSql(url, "select kind, ended_at is null as open from events where subject = 'server' order by 1"),
  ).toEqual([
    { kind: "critical", open: false },
    { kind: "offline", open: true },
  ]);
  expect(await requireMigrated(url)).toBeNull();
  const [ours, fresh] = [await describeDatabase(url), await describeDatabase(await migratedDatabase())];
  expect({ ...ours, partitions: null }).toEqual({ ...fresh, partitions: null });
});

test("an adopted database keeps its channels, rules and events, and counts unsent messages", async () => {
  const url = await earlierDatabase();
  await runSql(
    url,
    `delete from servers; delete from accounts;
     insert into accounts (id, name, email) values (1, 'a', 'a@example.com');
     insert into servers (id, account_id, label, hostname) select n, 1, 's' || n, '' from generate_series(1, 2) n;
     insert into game_services (id, account_id, name, java_hostname, origin_host, origin_port, updated_at) values (1, 1, 'g', 'j', 'o', 1, '2026-11-01');
     insert into access_tokens (id, account_id, name, token_hash, hint) values (1, 1, 't', repeat('a', 64), 'hint');
     insert into token_events (token_id, kind, started_at, notice_due) values (1, 'new_network', '2026-11-20', false);
     insert into server_events (server_id, kind, started_at, notice_due) select n, 'offline', '2026-11-20', false from generate_series(1, 2) n;
     insert into server_snoozes (server_id, until) values (1, null);
     insert into notice_settings (account_id, rules, quiet_from, quiet_to) values (1, '{"offline": {"on": true, "minutes": 7}}', 60, 120);
     insert into notice_channels (id, account_id, kind, name, confirmed_at) select n, 1, 'webhook', 'c' || n, now() from generate_series(1, 2) n;
     insert into notices (id, account_id, kind, thread) select repeat(n::text, 32)::uuid, 1, case n when 4 then 'test' else 'begun' end, repeat(n::text, 32)::uuid
       from generate_series(1, 4) n;
     insert into notice_deliveries (notice_id, channel_id, account_id, state, due_at, attempt_at)
       select repeat(n::text, 32)::uuid, 1, 1, case n when 1 then 'delivered' else 'due' end, now(), now() from generate_series(1, 4) n;
     insert into notice_incidents (account_id, subject, subject_id, kind, started_at, told_at, told_in, look_at) values
       (1, 'server', 1, 'offline', '2026-11-20', now(), repeat('1', 32)::uuid, now()), (1, 'server', 2, 'offline', '2026-11-20', null, null, now())`,
  );
  await migrate(url);
  expect(await runSql(url, "select channel_id, tells, kind, name, state from notices order by id")).toEqual([
    { channel_id: 1, tells: "begin", kind: "offline", name: "s1", state: "told" },
    { channel_id: 1, tells: "begin", kind: "unsent", name: "2", state: "due" },
  ]);
  const events =
    "select subject, kind, account_id, notice_due, notice_end_due from events order by subject, subject_id, kind";
  const considered = { account_id: 1, notice_due: false, notice_end_due: false };
  expect(await runSql(url, events)).toEqual([
    { subject: "server", kind: "offline", ...considered, notice_end_due: true },
    { subject: "server", kind: "offline", ...considered, notice_due: true },
    { subject: "service", kind: "pending_config", ...considered, notice_due: true },
    { subject: "token", kind: "new_network", ...considered },
  ]);
  expect(
    await runSql(
      url,
      `select rules, quiet_from, (select count(*)::int from notice_channels where confirmed_at is not null) as channels,
        (select until > now() as lasts from server_snoozes) from notice_settings`,
    ),
  ).toEqual([{ rules: { offline: { on: true, minutes: 7 } }, quiet_from: 60, channels: 2, lasts: true }]);
});

test.each([
  [
    "stopped before",
    "delete from _prisma_migrations where migration_name > '20261124'",
    "stopped at 20261123204500_notices_of_services_and_tokens",
  ],
  [
    "has other texts",
    "update _prisma_migrations set checksum = 'c' where migration_name ~ 'edges'",
    "stopped at 20261124030600_shared_service_events_nt",
  ],
  ["has no records", "delete from _prisma_migrations", "holds tables without records of migrations"],
])("a database that %s is refused unchanged, naming the commit that can migrate it", async (_, change, reason) => {
  const url = await earlierDatabase();
  await runSql(url, change);
  const before = [await describeDatabase(url), await recordsOf(url)];
  const refusal = await refusalOf(migrate(url));
  expect(refusal).toMatch(
    /^[^.]+; .*"npm run migrate" of commit a36dbd0d is the last that can bring (?:it|them) up\.$/,
  );
  expect(refusal).toContain(reason);
  expect([await describeDatabase(url), await recordsOf(url)]).toEqual(before);
});

/** These of the migrations alone. */
function folderOf(names: readonly string[]): string {
  const folder = tempFolder();
  for (const name of names) cpSync(`prisma/migrations/${name}`, join(folder, name), { recursive: true });
  return folder;
}
