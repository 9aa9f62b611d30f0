-- All that the console needs in an empty database: the tables in the order of schema.prisma, each with its keys, checks and
-- indexes.
-- Columns stand in the order in which earlier migrations added them: a database that is adopted (scripts/migrations.ts) and a
-- new one are alike.
-- Checks hold the ranges that the API promises. PostgreSQL sorts NaN above infinity: "< 'infinity'" refuses both, which JSON
-- cannot hold.
-- WITH (fillfactor): rows that are updated every 30 seconds or every minute; with room left in their page, an update touches no
-- index. VACUUM of them, and of what is deleted row by row, starts at a tenth of the usual share of dead rows.

CREATE TYPE "account_role" AS ENUM ('customer', 'support', 'admin');
CREATE TYPE "benchmark_status" AS ENUM ('pending', 'running', 'done');
CREATE TYPE "game_service_status" AS ENUM ('pending_config', 'configuring', 'active', 'failed', 'disabled', 'deleting');
CREATE TYPE "service_wish" AS ENUM ('on', 'off', 'gone');
CREATE TYPE "ticket_status" AS ENUM ('open', 'closed');

CREATE TABLE "accounts" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "account_role" NOT NULL DEFAULT 'customer',
    "password_hash" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "time_zone_chosen" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "accounts_email_lower_case" CHECK ("email" = lower("email") AND "email" <> '')
);
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");

CREATE TABLE "sessions" (
    "token_hash" TEXT NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "user_agent" TEXT,
    "ip" TEXT,
    "authenticated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "public_id" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash"),
    CONSTRAINT "sessions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
CREATE UNIQUE INDEX "sessions_public_id_key" ON "sessions"("public_id");
CREATE INDEX "sessions_account_id_idx" ON "sessions"("account_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

CREATE TABLE "access_tokens" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,
    "last_used_agent" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "first_used_at" TIMESTAMPTZ(3),
    "first_used_ip" TEXT,
    "refused_count" INTEGER NOT NULL DEFAULT 0,
    "last_refused_at" TIMESTAMPTZ(3),
    "last_refused_ip" TEXT,
    "last_refused_agent" TEXT,
    "form_nonce" TEXT,
    "replaced_by_id" INTEGER,
    "ends_on_first_use" BOOLEAN NOT NULL DEFAULT false,
    "networks" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "access_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "access_tokens_replaced_by_id_fkey" FOREIGN KEY ("replaced_by_id") REFERENCES "access_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "access_tokens_token_hash_hex" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "access_tokens_refused_count_range" CHECK ("refused_count" >= 0)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
-- NOT VALID, as in databases that had rows before this check. So is that of the tags of servers.
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_networks_range" CHECK (cardinality("networks") <= 20 AND "networks"::cidr[] IS NOT NULL) NOT VALID;
CREATE UNIQUE INDEX "access_tokens_token_hash_key" ON "access_tokens"("token_hash");
CREATE INDEX "access_tokens_replaced_by_id_idx" ON "access_tokens"("replaced_by_id");
CREATE INDEX "access_tokens_expires_at_idx" ON "access_tokens"("expires_at");
CREATE UNIQUE INDEX "access_tokens_account_id_form_nonce_key" ON "access_tokens"("account_id", "form_nonce");

CREATE TABLE "token_use_hours" (
    "token_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "limited" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "peak" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "token_use_hours_pkey" PRIMARY KEY ("token_id", "hour"),
    CONSTRAINT "token_use_hours_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE TABLE "token_visitors" (
    "token_id" INTEGER NOT NULL,
    "ip" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "agent" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "known_at" TIMESTAMPTZ(3),

    CONSTRAINT "token_visitors_pkey" PRIMARY KEY ("token_id", "ip"),
    CONSTRAINT "token_visitors_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "servers" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "hostname" TEXT NOT NULL,
    "public_ip" TEXT,
    "facts" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3),
    "form_nonce" TEXT,
    "sampled_at" TIMESTAMPTZ(3),
    "sample" JSON,
    "first_seen_at" TIMESTAMPTZ(3),
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "offline_since" TIMESTAMPTZ(3),
    "cpu" SMALLINT,
    "memory" SMALLINT,
    "disk" SMALLINT,
    "network" SMALLINT,
    "stability" SMALLINT,
    "rated_by" JSON,
    "follow" JSON NOT NULL DEFAULT '{}',
    "refusal" TEXT,
    "refused_since" TIMESTAMPTZ(3),

    CONSTRAINT "servers_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "servers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "servers_facts_object" CHECK (jsonb_typeof("facts") = 'object')
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "servers" ADD CONSTRAINT "servers_tags_few" CHECK (cardinality("tags") <= 10 AND length(array_to_string("tags", '')) <= 320) NOT VALID;
CREATE INDEX "servers_account_id_id_idx" ON "servers"("account_id", "id");
CREATE UNIQUE INDEX "servers_account_id_form_nonce_key" ON "servers"("account_id", "form_nonce");

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
    "notice_end_due" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "events_pkey" PRIMARY KEY ("subject_id", "id"),
    CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "events_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "events_small" CHECK (length("kind") <= 32 AND length("subject") <= 16 AND pg_column_size("facts") <= 2000)
);
CREATE UNIQUE INDEX "events_subject_id_subject_started_at_kind_key" ON "events"("subject_id", "subject", "started_at", "kind");
CREATE INDEX "events_subject_id_ended_at_idx" ON "events"("subject_id", "ended_at");
CREATE INDEX "events_ended_at_idx" ON "events"("ended_at");
-- What goes on of an account, and what ended of late.
CREATE INDEX "events_recent_idx" ON "events"("account_id", (coalesce("ended_at", 'infinity')));
-- What is still to be told: each index holds only those rows.
CREATE INDEX "events_notice_due" ON "events"("account_id") WHERE "notice_due";
CREATE INDEX "events_notice_end_due" ON "events"("ended_at") WHERE "notice_end_due";

CREATE TABLE "maintenance_times" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "maintenance_times_pkey" PRIMARY KEY ("server_id", "id"),
    CONSTRAINT "maintenance_times_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "maintenance_times_order" CHECK ("ended_at" >= "started_at")
);
CREATE INDEX "maintenance_times_server_id_started_at_idx" ON "maintenance_times"("server_id", "started_at");

CREATE TABLE "heartbeat" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,
    "judges_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "heartbeat_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "heartbeat_one" CHECK ("id" = 1)
);

CREATE TABLE "server_keys" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "key_hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,

    CONSTRAINT "server_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "server_keys_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "server_keys_key_hash_hex" CHECK ("key_hash" ~ '^[0-9a-f]{64}$')
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
CREATE UNIQUE INDEX "server_keys_key_hash_key" ON "server_keys"("key_hash");
CREATE INDEX "server_keys_server_id_idx" ON "server_keys"("server_id");
CREATE INDEX "server_keys_expires_at_idx" ON "server_keys"("expires_at");
-- A server has one current key.
CREATE UNIQUE INDEX "server_keys_one_current" ON "server_keys"("server_id") WHERE "expires_at" IS NULL;

CREATE TABLE "agent_states" (
    "key_id" INTEGER NOT NULL,
    "door" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "instants" JSON NOT NULL,

    CONSTRAINT "agent_states_pkey" PRIMARY KEY ("key_id", "door"),
    CONSTRAINT "agent_states_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "server_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Samples of servers and intervals of game services lie in partitions by day (UTC): deleting a day is dropping a table, and a
-- query reads only the days that it asks for. Those of the next days are made at the end of this file, all further ones by the
-- sweep (lib/database/partitions.ts).
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

    CONSTRAINT "telemetry_samples_pkey" PRIMARY KEY ("server_id", "at"),
    CONSTRAINT "telemetry_samples_score_range" CHECK ("score" BETWEEN 0 AND 1000),
    CONSTRAINT "telemetry_samples_cpu_pct_range" CHECK ("cpu_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_cpu_steal_pct_range" CHECK ("cpu_steal_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_cpu_iowait_pct_range" CHECK ("cpu_iowait_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_mem_used_pct_range" CHECK ("mem_used_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_swap_used_pct_range" CHECK ("swap_used_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_disk_used_pct_range" CHECK ("disk_used_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_net_loss_pct_range" CHECK ("net_loss_pct" BETWEEN 0 AND 100),
    CONSTRAINT "telemetry_samples_net_retransmit_pct_range" CHECK ("net_retransmit_pct" BETWEEN 0 AND 100)
) PARTITION BY RANGE ("at");

CREATE TABLE "telemetry_hours" (
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
    "net_retransmit_pct_max" REAL,
    "score_count" SMALLINT,
    "cpu_pct_count" SMALLINT,
    "cpu_steal_pct_count" SMALLINT,
    "cpu_iowait_pct_count" SMALLINT,
    "mem_used_pct_count" SMALLINT,
    "swap_used_pct_count" SMALLINT,
    "disk_used_pct_count" SMALLINT,
    "net_loss_pct_count" SMALLINT,
    "net_retransmit_pct_count" SMALLINT,

    CONSTRAINT "telemetry_hours_pkey" PRIMARY KEY ("server_id", "hour"),
    CONSTRAINT "telemetry_hours_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

CREATE TABLE "benchmark_runs" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "status" "benchmark_status" NOT NULL DEFAULT 'pending',
    "cpu" INTEGER,
    "disk" INTEGER,
    "network" INTEGER,
    "stability" INTEGER,
    "total" INTEGER,
    "verified" BOOLEAN NOT NULL DEFAULT false,
    "log" TEXT NOT NULL DEFAULT '',
    "agent_token_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "benchmark_runs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "benchmark_runs_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "benchmark_runs_cpu_range" CHECK ("cpu" BETWEEN 0 AND 100),
    CONSTRAINT "benchmark_runs_disk_range" CHECK ("disk" BETWEEN 0 AND 100),
    CONSTRAINT "benchmark_runs_network_range" CHECK ("network" BETWEEN 0 AND 100),
    CONSTRAINT "benchmark_runs_stability_range" CHECK ("stability" BETWEEN 0 AND 100),
    CONSTRAINT "benchmark_runs_total_range" CHECK ("total" BETWEEN 0 AND 100),
    CONSTRAINT "benchmark_runs_done_is_finished" CHECK ("status" <> 'done' OR "finished_at" IS NOT NULL)
);
CREATE INDEX "benchmark_runs_server_id_status_finished_at_id_idx" ON "benchmark_runs"("server_id", "status", "finished_at" DESC, "id" DESC);
CREATE INDEX "benchmark_runs_agent_token_hash_idx" ON "benchmark_runs"("agent_token_hash");

CREATE TABLE "game_services" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "status" "game_service_status" NOT NULL DEFAULT 'pending_config',
    "java_hostname" TEXT NOT NULL,
    "origin_host" TEXT NOT NULL,
    "origin_port" INTEGER NOT NULL,
    "config_version" INTEGER NOT NULL DEFAULT 1,
    "error" TEXT,
    "support_access" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "wish" "service_wish",
    "first_fetched_at" TIMESTAMPTZ(3),
    "form_nonce" TEXT,
    "sends_real_ips" BOOLEAN NOT NULL DEFAULT false,
    "offline_text" TEXT,

    CONSTRAINT "game_services_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "game_services_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "game_services_origin_port_range" CHECK ("origin_port" BETWEEN 1 AND 65535),
    CONSTRAINT "game_services_config_version_range" CHECK ("config_version" >= 0)
);
CREATE INDEX "game_services_account_id_id_idx" ON "game_services"("account_id", "id");
CREATE UNIQUE INDEX "game_services_account_id_form_nonce_key" ON "game_services"("account_id", "form_nonce");
-- Services that share a public hostname, whatever its case.
CREATE INDEX "game_services_hostname_idx" ON "game_services"(lower("java_hostname"), "id");

CREATE TABLE "service_grants" (
    "service_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_grants_pkey" PRIMARY KEY ("service_id", "account_id"),
    CONSTRAINT "service_grants_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "service_grants_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "service_grants_account_id_service_id_idx" ON "service_grants"("account_id", "service_id");

CREATE TABLE "service_shares" (
    "service_id" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "typed_email" TEXT NOT NULL,
    "account_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_shares_pkey" PRIMARY KEY ("service_id", "email"),
    CONSTRAINT "service_shares_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "service_shares_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "service_shares_lower_case" CHECK ("email" = lower("email") AND "email" <> '')
);
CREATE INDEX "service_shares_email_idx" ON "service_shares"("email");
CREATE INDEX "service_shares_account_id_idx" ON "service_shares"("account_id");

CREATE TABLE "hostname_claims" (
    "hostname" TEXT NOT NULL,
    "service_id" INTEGER,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "active_at" TIMESTAMPTZ(3),
    "account_id" INTEGER,
    "released_at" TIMESTAMPTZ(3),

    CONSTRAINT "hostname_claims_pkey" PRIMARY KEY ("hostname"),
    CONSTRAINT "hostname_claims_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "hostname_claims_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "hostname_claims_lower_case" CHECK ("hostname" = lower("hostname"))
);
CREATE INDEX "hostname_claims_service_id_idx" ON "hostname_claims"("service_id");
CREATE INDEX "hostname_claims_account_id_released_at_idx" ON "hostname_claims"("account_id", "released_at");

CREATE TABLE "edge_nodes" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_heard_at" TIMESTAMPTZ(3),
    "last_heard_ip" TEXT,
    "agent" TEXT,
    "is_live" BOOLEAN NOT NULL DEFAULT false,
    "unsettled_since" TIMESTAMPTZ(3),

    CONSTRAINT "edge_nodes_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "edge_nodes_name_key" ON "edge_nodes"("name");

CREATE TABLE "edge_node_minutes" (
    "node_id" INTEGER NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "packets" BIGINT NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "dropped" BIGINT NOT NULL DEFAULT 0,
    "connections" BIGINT NOT NULL DEFAULT 0,
    "refused" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "edge_node_minutes_pkey" PRIMARY KEY ("node_id", "ts"),
    CONSTRAINT "edge_node_minutes_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "edge_node_keys" (
    "id" SERIAL NOT NULL,
    "node_id" INTEGER NOT NULL,
    "key_hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "edge_node_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "edge_node_keys_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "edge_node_keys_key_hash_hex" CHECK ("key_hash" ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX "edge_node_keys_key_hash_key" ON "edge_node_keys"("key_hash");
CREATE INDEX "edge_node_keys_node_id_idx" ON "edge_node_keys"("node_id");

CREATE TABLE "edge_acknowledgements" (
    "service_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "error" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "serving_version" INTEGER,
    "warning" TEXT,

    CONSTRAINT "edge_acknowledgements_pkey" PRIMARY KEY ("service_id", "node_id"),
    CONSTRAINT "edge_acknowledgements_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "edge_acknowledgements_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "edge_acknowledgements_version_range" CHECK ("version" >= -1)
);
CREATE INDEX "edge_acknowledgements_node_id_idx" ON "edge_acknowledgements"("node_id");

CREATE TABLE "tickets" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "service_id" INTEGER,
    "subject" TEXT NOT NULL,
    "status" "ticket_status" NOT NULL DEFAULT 'open',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tickets_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tickets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "tickets_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX "tickets_service_id_account_id_status_idx" ON "tickets"("service_id", "account_id", "status");
CREATE INDEX "tickets_account_id_idx" ON "tickets"("account_id");
CREATE INDEX "tickets_status_id_idx" ON "tickets"("status", "id");

CREATE TABLE "metric_samples" (
    "service_id" INTEGER NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "node_id" INTEGER NOT NULL,
    "packets" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "dropped" BIGINT NOT NULL,
    "connections" BIGINT NOT NULL,
    "latency_ms" DOUBLE PRECISION,
    "joins" BIGINT,
    "pings" BIGINT,
    "answered" BIGINT,
    "players" BIGINT,

    CONSTRAINT "metric_samples_pkey" PRIMARY KEY ("service_id", "ts", "node_id"),
    CONSTRAINT "metric_samples_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "metric_samples_node_id_range" CHECK ("node_id" >= 0),
    CONSTRAINT "metric_samples_packets_range" CHECK ("packets" BETWEEN 0 AND 9007199254740991),
    CONSTRAINT "metric_samples_bytes_range" CHECK ("bytes" BETWEEN 0 AND 9007199254740991),
    CONSTRAINT "metric_samples_dropped_range" CHECK ("dropped" BETWEEN 0 AND 9007199254740991),
    CONSTRAINT "metric_samples_connections_range" CHECK ("connections" BETWEEN 0 AND 9007199254740991),
    CONSTRAINT "metric_samples_latency_ms_range" CHECK ("latency_ms" >= 0 AND "latency_ms" < 'infinity')
) PARTITION BY RANGE ("ts");
-- Takes the intervals of days that have no partition.
CREATE TABLE "metric_samples_default" PARTITION OF "metric_samples" DEFAULT
  WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

CREATE TABLE "sweeps" (
    "name" TEXT NOT NULL,
    "holder" TEXT,
    "leased_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "sweeps_pkey" PRIMARY KEY ("name"),
    CONSTRAINT "sweeps_report_object" CHECK (jsonb_typeof("report") = 'object')
);

CREATE TABLE "notice_channels" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" TEXT,
    "host" TEXT,
    "email" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    "confirm_hash" TEXT,
    "confirm_sent_at" TIMESTAMPTZ(3),
    "unsubscribe_hash" TEXT,
    "off_at" TIMESTAMPTZ(3),
    "off_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "form_nonce" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claim" INTEGER NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "held_until" TIMESTAMPTZ(3),
    "held_for" TEXT,

    CONSTRAINT "notice_channels_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_channels_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "notice_channels_kind" CHECK ("kind" IN ('mail', 'webhook', 'discord')),
    CONSTRAINT "notice_channels_small" CHECK (length("name") <= 200 AND length("sealed") <= 16000 AND length("host") <= 300 AND length("email") <= 320 AND length("off_reason") <= 500),
    CONSTRAINT "notice_channels_held" CHECK ("held_for" IN ('quiet', 'limit', 'receiver'))
);
CREATE UNIQUE INDEX "notice_channels_unsubscribe_hash_key" ON "notice_channels"("unsubscribe_hash");
CREATE UNIQUE INDEX "notice_channels_account_id_form_nonce_key" ON "notice_channels"("account_id", "form_nonce");

CREATE TABLE "notice_settings" (
    "account_id" INTEGER NOT NULL,
    "rules" JSONB NOT NULL DEFAULT '{}',
    "quiet_from" SMALLINT,
    "quiet_to" SMALLINT,
    "quiet_zone" TEXT,

    CONSTRAINT "notice_settings_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "notice_settings_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "notice_settings_quiet" CHECK ("quiet_from" BETWEEN 0 AND 1439 AND "quiet_to" BETWEEN 0 AND 1439),
    CONSTRAINT "notice_settings_small" CHECK (pg_column_size("rules") <= 4000 AND length("quiet_zone") <= 64)
);

-- Before notices, which name the message that tells them.
CREATE TABLE "notice_messages" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "channel_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "content" JSON NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'due',
    "attempts" SMALLINT NOT NULL DEFAULT 1,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "notice_messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_messages_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "notice_messages_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "notice_channels"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "notice_messages_state" CHECK ("state" IN ('due', 'delivered', 'failed', 'dropped')),
    CONSTRAINT "notice_messages_small" CHECK (length("reason") <= 500)
);
CREATE INDEX "notice_messages_channel_id_created_at_idx" ON "notice_messages"("channel_id", "created_at");
CREATE INDEX "notice_messages_created_at_idx" ON "notice_messages"("created_at");
-- What is still to be sent.
CREATE INDEX "notice_messages_due" ON "notice_messages"("next_at") WHERE "state" = 'due';

CREATE TABLE "notices" (
    "id" SERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "event_id" INTEGER NOT NULL,
    "tells" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL DEFAULT 'due',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "waits_for" TEXT,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "message_id" UUID,
    "settled_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notices_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "notices_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "notice_channels"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "notices_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "notice_messages"("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "notices_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "notices_state" CHECK ("state" IN ('due', 'told', 'failed', 'dropped')),
    CONSTRAINT "notices_tells" CHECK ("tells" IN ('begin', 'end')),
    CONSTRAINT "notices_waits" CHECK ("waits_for" IN ('snooze', 'maintenance', 'often')),
    CONSTRAINT "notices_small" CHECK (length("subject") <= 16 AND length("kind") <= 32 AND length("name") <= 300 AND length("reason") <= 500)
);
CREATE INDEX "notices_channel_id_state_settled_at_idx" ON "notices"("channel_id", "state", "settled_at");
CREATE INDEX "notices_message_id_idx" ON "notices"("message_id");
CREATE INDEX "notices_due_at_idx" ON "notices"("due_at");
CREATE UNIQUE INDEX "notices_subject_id_event_id_subject_tells_channel_id_key" ON "notices"("subject_id", "event_id", "subject", "tells", "channel_id");
-- What is in no message yet.
CREATE INDEX "notices_waiting" ON "notices"("next_at") WHERE "state" = 'due' AND "message_id" IS NULL;

CREATE TABLE "server_snoozes" (
    "server_id" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_snoozes_pkey" PRIMARY KEY ("server_id"),
    CONSTRAINT "server_snoozes_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "notice_confirmations" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "email_hash" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notice_confirmations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_confirmations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "notice_confirmations_email_hash_sent_at_idx" ON "notice_confirmations"("email_hash", "sent_at");
CREATE INDEX "notice_confirmations_account_id_sent_at_idx" ON "notice_confirmations"("account_id", "sent_at");
CREATE INDEX "notice_confirmations_sent_at_idx" ON "notice_confirmations"("sent_at");

DO $$
DECLARE
  parent text;
  day timestamptz;
BEGIN
  FOR parent, day IN
    SELECT name, date_trunc('day', now(), 'UTC') + n * interval '24 hours'
    FROM (SELECT 'telemetry_samples', generate_series(-1, 14) UNION ALL SELECT 'metric_samples', generate_series(0, 3)) days (name, n)
  LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
      parent || '_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'), parent, day, day + interval '24 hours');
  END LOOP;
END $$;

-- Grants what was shared with an e-mail before an account had it. The lock makes the account and a share that is written at
-- the same moment wait for each other.
CREATE FUNCTION "grant_shared_services"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW."email", 0));
  IF EXISTS (SELECT FROM "service_shares" WHERE "email" = NEW."email" AND "account_id" IS NULL) THEN
    INSERT INTO "service_grants" ("service_id", "account_id")
      SELECT sh."service_id", NEW."id" FROM "service_shares" sh
      JOIN "game_services" s ON s."id" = sh."service_id" AND s."account_id" <> NEW."id"
      WHERE sh."email" = NEW."email" AND sh."account_id" IS NULL
      ON CONFLICT DO NOTHING;
    UPDATE "service_shares" SET "account_id" = NEW."id" WHERE "email" = NEW."email" AND "account_id" IS NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "accounts_grant_shared_services" AFTER INSERT OR UPDATE OF "email" ON "accounts"
  FOR EACH ROW EXECUTE FUNCTION "grant_shared_services"();
