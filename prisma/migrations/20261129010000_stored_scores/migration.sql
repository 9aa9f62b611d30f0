-- A sample is rated once, and its score is stored with it. Events of servers lie in a table for all subjects. The console judges by
-- one clock, PostgreSQL's.
-- What cannot be carried over: the minutes of a past hour (as many of its first minutes count as it had samples, halved), the
-- score of a past sample (the mean of its hour stands for it), what is known of the last 24 hours (it begins anew), silences that
-- were "unknown" or "unreachable", frozen months, and what was stored of samples and never drawn.

-- The triggers and functions of samples.
DROP TRIGGER "telemetry_samples_inserted" ON "telemetry_samples";
DROP TRIGGER "telemetry_samples_updated" ON "telemetry_samples";
DROP TRIGGER "telemetry_samples_moved" ON "telemetry_samples";
DROP TRIGGER "telemetry_samples_latest_inserted" ON "telemetry_samples";
DROP TRIGGER "telemetry_samples_latest_updated" ON "telemetry_samples";
DROP TRIGGER "telemetry_samples_latest_moved" ON "telemetry_samples";
DROP FUNCTION "mark_telemetry_hours_stale", "keep_latest_samples", "replace_moved_latest_samples";

-- Events, before the times of servers change.
CREATE TABLE "events" (
    "subject" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "account_id" INTEGER,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "notice_due" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "events_pkey" PRIMARY KEY ("subject_id", "id"),
    CONSTRAINT "events_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "events_small" CHECK (length("kind") <= 32 AND length("subject") <= 16 AND pg_column_size("facts") <= 2000)
);
INSERT INTO "events" ("subject", "subject_id", "account_id", "kind", "started_at", "ended_at", "facts", "notice_due")
  SELECT 'server', e."server_id", s."account_id", e."kind", e."started_at", e."ended_at", e."facts", e."notice_due"
  FROM "server_events" e JOIN "servers" s ON s."id" = e."server_id"
  WHERE e."kind" NOT IN ('unknown', 'unreachable') ORDER BY e."id";
CREATE UNIQUE INDEX "events_subject_id_subject_started_at_kind_key" ON "events"("subject_id", "subject", "started_at", "kind");
CREATE INDEX "events_ended_at_idx" ON "events"("ended_at");
-- What goes on of an account, and what ended of late.
CREATE INDEX "events_recent_idx" ON "events"("account_id", (coalesce("ended_at", 'infinity')));
CREATE INDEX "events_notice_due" ON "events"("account_id") WHERE "notice_due";
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
DROP TABLE "server_events";

CREATE TABLE "heartbeat" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,
    "judges_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "heartbeat_one" CHECK ("id" = 1)
);
DROP TABLE "blind_times", "console_presence", "uptime_sums";

ALTER TABLE "maintenance_times" DROP CONSTRAINT "maintenance_times_pkey", ADD CONSTRAINT "maintenance_times_pkey" PRIMARY KEY ("server_id", "id");

ALTER TABLE "servers"
  DROP COLUMN "stability", DROP COLUMN "conditions", DROP COLUMN "unrated_since", DROP COLUMN "daemon", DROP COLUMN "daemon_before", DROP COLUMN "two_daemons_at",
  ALTER COLUMN "last_seen_at" DROP NOT NULL, ALTER COLUMN "last_seen_at" DROP DEFAULT,
  ADD COLUMN "offline_since" TIMESTAMPTZ(3),
  ADD COLUMN "cpu" SMALLINT, ADD COLUMN "memory" SMALLINT, ADD COLUMN "disk" SMALLINT, ADD COLUMN "network" SMALLINT, ADD COLUMN "stability" SMALLINT,
  ADD COLUMN "rated_by" JSON,
  ADD COLUMN "follow" JSON NOT NULL DEFAULT '{}';
ALTER TABLE "servers" RENAME COLUMN "latest_sample_at" TO "sampled_at";
ALTER TABLE "servers" RENAME COLUMN "latest_sample" TO "sample";
UPDATE "servers" SET "last_seen_at" = NULL, "first_seen_at" = NULL WHERE "last_seen_at" = "created_at" AND "sampled_at" IS NULL;
UPDATE "servers" SET "first_seen_at" = coalesce("first_seen_at", "created_at") WHERE "last_seen_at" IS NOT NULL;
-- Conditions that held begin anew; outages go on.
UPDATE "events" SET "ended_at" = greatest("started_at", now()) WHERE "ended_at" IS NULL AND "kind" <> 'offline';
UPDATE "servers" s SET "offline_since" = e."started_at" FROM "events" e
  WHERE e."subject" = 'server' AND e."subject_id" = s."id" AND e."kind" = 'offline' AND e."ended_at" IS NULL;

-- Samples: on a grid of ten seconds, what is drawn of them, in a partition for each day.
ALTER TABLE "telemetry_samples" RENAME TO "telemetry_samples_earlier";
ALTER TABLE "telemetry_samples_earlier" RENAME CONSTRAINT "telemetry_samples_pkey" TO "telemetry_samples_earlier_pkey";
CREATE TABLE "telemetry_samples" (
    "server_id" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "score" SMALLINT NOT NULL,
    "cpu_pct" REAL,
    "cpu_steal_pct" REAL,
    "cpu_iowait_pct" REAL,
    "mem_used_pct" REAL,
    "swap_used_pct" REAL,
    "disk_used_pct" REAL,
    "net_loss_pct" REAL,
    "net_retransmit_pct" REAL,

    CONSTRAINT "telemetry_samples_pkey" PRIMARY KEY ("server_id", "at")
) PARTITION BY RANGE ("at");
ALTER TABLE "telemetry_samples"
  ADD CONSTRAINT "telemetry_samples_score_range" CHECK ("score" BETWEEN 0 AND 1000),
  ADD CONSTRAINT "telemetry_samples_cpu_pct_range" CHECK ("cpu_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_cpu_steal_pct_range" CHECK ("cpu_steal_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_cpu_iowait_pct_range" CHECK ("cpu_iowait_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_mem_used_pct_range" CHECK ("mem_used_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_swap_used_pct_range" CHECK ("swap_used_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_disk_used_pct_range" CHECK ("disk_used_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_net_loss_pct_range" CHECK ("net_loss_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_net_retransmit_pct_range" CHECK ("net_retransmit_pct" BETWEEN 0 AND 100);
-- The partitions of that name are those of the earlier table.
DO $$
DECLARE
  part record;
  day timestamptz;
BEGIN
  FOR part IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'telemetry_samples_earlier'::regclass
  LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO %I', part.relname, replace(part.relname, 'telemetry_samples', 'telemetry_earlier'));
    EXECUTE format('ALTER INDEX %I RENAME TO %I', part.relname || '_pkey', replace(part.relname, 'telemetry_samples', 'telemetry_earlier') || '_pkey');
  END LOOP;
  FOR day IN
    SELECT date_trunc('day', now(), 'UTC') + n * interval '24 hours' FROM generate_series(-1, 14) n
    UNION SELECT date_trunc('day', ts, 'UTC') FROM telemetry_samples_earlier
  LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF telemetry_samples FOR VALUES FROM (%L) TO (%L)',
      'telemetry_samples_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'), day, day + interval '24 hours');
  END LOOP;
END $$;
INSERT INTO "telemetry_samples" ("server_id", "at", "score", "cpu_pct", "cpu_steal_pct", "cpu_iowait_pct", "mem_used_pct", "swap_used_pct", "disk_used_pct", "net_loss_pct", "net_retransmit_pct")
  SELECT t.server_id, date_bin('10 seconds', t.ts, 'epoch'), coalesce(round((h.bands #>> '{score,1}')::numeric), 500),
    t.cpu_pct, t.cpu_steal_pct, t.cpu_iowait_pct, least(100, t.mem_used_mb / nullif(t.mem_total_mb, 0) * 100), t.swap_used_pct, t.disk_used_pct, t.net_loss_pct, t.net_retransmit_pct
  FROM telemetry_samples_earlier t LEFT JOIN telemetry_hours h ON h.server_id = t.server_id AND h.hour = date_trunc('hour', t.ts, 'UTC')
  ON CONFLICT DO NOTHING;

CREATE TABLE "telemetry_hours_new" (
    "server_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "seen" BIGINT NOT NULL,
    "samples" SMALLINT NOT NULL,
    "reboots" SMALLINT NOT NULL,
    "oom_kills" INTEGER NOT NULL,
    "oom_at" TIMESTAMPTZ(3),
    "score_min" REAL,
    "score_avg" REAL,
    "score_max" REAL,
    "cpu_pct_min" REAL,
    "cpu_pct_avg" REAL,
    "cpu_pct_max" REAL,
    "cpu_steal_pct_min" REAL,
    "cpu_steal_pct_avg" REAL,
    "cpu_steal_pct_max" REAL,
    "cpu_iowait_pct_min" REAL,
    "cpu_iowait_pct_avg" REAL,
    "cpu_iowait_pct_max" REAL,
    "mem_used_pct_min" REAL,
    "mem_used_pct_avg" REAL,
    "mem_used_pct_max" REAL,
    "swap_used_pct_min" REAL,
    "swap_used_pct_avg" REAL,
    "swap_used_pct_max" REAL,
    "disk_used_pct_min" REAL,
    "disk_used_pct_avg" REAL,
    "disk_used_pct_max" REAL,
    "net_loss_pct_min" REAL,
    "net_loss_pct_avg" REAL,
    "net_loss_pct_max" REAL,
    "net_retransmit_pct_min" REAL,
    "net_retransmit_pct_avg" REAL,
    "net_retransmit_pct_max" REAL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
INSERT INTO "telemetry_hours_new" ("server_id", "hour", "seen", "samples", "reboots", "oom_kills", "score_min", "score_avg", "score_max", "cpu_pct_min", "cpu_pct_avg", "cpu_pct_max", "cpu_steal_pct_min", "cpu_steal_pct_avg", "cpu_steal_pct_max", "cpu_iowait_pct_min", "cpu_iowait_pct_avg", "cpu_iowait_pct_max", "mem_used_pct_min", "mem_used_pct_avg", "mem_used_pct_max", "swap_used_pct_min", "swap_used_pct_avg", "swap_used_pct_max", "disk_used_pct_min", "disk_used_pct_avg", "disk_used_pct_max", "net_loss_pct_min", "net_loss_pct_avg", "net_loss_pct_max", "net_retransmit_pct_min", "net_retransmit_pct_avg", "net_retransmit_pct_max")
  SELECT "server_id", "hour", ((1::numeric * 2 ^ least(60, ("samples" + 1) / 2)) - 1)::bigint, least("samples", 360), 0, 0,
    (bands #>> '{score,0}')::real, (bands #>> '{score,1}')::real, (bands #>> '{score,2}')::real,
    (bands #>> '{cpuPct,0}')::real, (bands #>> '{cpuPct,1}')::real, (bands #>> '{cpuPct,2}')::real,
    (bands #>> '{cpuStealPct,0}')::real, (bands #>> '{cpuStealPct,1}')::real, (bands #>> '{cpuStealPct,2}')::real,
    (bands #>> '{cpuIowaitPct,0}')::real, (bands #>> '{cpuIowaitPct,1}')::real, (bands #>> '{cpuIowaitPct,2}')::real,
    (bands #>> '{memUsedPct,0}')::real, (bands #>> '{memUsedPct,1}')::real, (bands #>> '{memUsedPct,2}')::real,
    (bands #>> '{swapUsedPct,0}')::real, (bands #>> '{swapUsedPct,1}')::real, (bands #>> '{swapUsedPct,2}')::real,
    (bands #>> '{diskUsedPct,0}')::real, (bands #>> '{diskUsedPct,1}')::real, (bands #>> '{diskUsedPct,2}')::real,
    (bands #>> '{netLossPct,0}')::real, (bands #>> '{netLossPct,1}')::real, (bands #>> '{netLossPct,2}')::real,
    (bands #>> '{netRetransmitPct,0}')::real, (bands #>> '{netRetransmitPct,1}')::real, (bands #>> '{netRetransmitPct,2}')::real
  FROM "telemetry_hours" WHERE "samples" > 0;
-- Hours that were not summed up yet.
INSERT INTO "telemetry_hours_new" ("server_id", "hour", "seen", "samples", "reboots", "oom_kills", "score_min", "score_avg", "score_max", "cpu_pct_min", "cpu_pct_avg", "cpu_pct_max", "cpu_steal_pct_min", "cpu_steal_pct_avg", "cpu_steal_pct_max", "cpu_iowait_pct_min", "cpu_iowait_pct_avg", "cpu_iowait_pct_max", "mem_used_pct_min", "mem_used_pct_avg", "mem_used_pct_max", "swap_used_pct_min", "swap_used_pct_avg", "swap_used_pct_max", "disk_used_pct_min", "disk_used_pct_avg", "disk_used_pct_max", "net_loss_pct_min", "net_loss_pct_avg", "net_loss_pct_max", "net_retransmit_pct_min", "net_retransmit_pct_avg", "net_retransmit_pct_max")
  SELECT t.server_id, date_trunc('hour', t.at, 'UTC'), bit_or(1::bigint << extract(minute FROM t.at)::int), count(*), 0, 0,
    min(t.score), avg(t.score), max(t.score), min(t.cpu_pct), avg(t.cpu_pct), max(t.cpu_pct), min(t.cpu_steal_pct), avg(t.cpu_steal_pct), max(t.cpu_steal_pct), min(t.cpu_iowait_pct), avg(t.cpu_iowait_pct), max(t.cpu_iowait_pct), min(t.mem_used_pct), avg(t.mem_used_pct), max(t.mem_used_pct), min(t.swap_used_pct), avg(t.swap_used_pct), max(t.swap_used_pct), min(t.disk_used_pct), avg(t.disk_used_pct), max(t.disk_used_pct), min(t.net_loss_pct), avg(t.net_loss_pct), max(t.net_loss_pct), min(t.net_retransmit_pct), avg(t.net_retransmit_pct), max(t.net_retransmit_pct)
  FROM telemetry_samples t WHERE NOT EXISTS (
    SELECT FROM "telemetry_hours_new" h WHERE h.server_id = t.server_id AND h.hour = date_trunc('hour', t.at, 'UTC'))
  GROUP BY 1, 2;
DROP TABLE "telemetry_hours", "telemetry_samples_earlier";
ALTER TABLE "telemetry_hours_new" RENAME TO "telemetry_hours";
ALTER TABLE "telemetry_hours" ADD CONSTRAINT "telemetry_hours_pkey" PRIMARY KEY ("server_id", "hour");
ALTER TABLE "telemetry_hours" ADD CONSTRAINT "telemetry_hours_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Days are made and dropped in plain SQL (lib/database/partitions.ts).
DROP FUNCTION "make_day_partition", "drop_day_partition", "drop_partition_before", "partition_before_end";
