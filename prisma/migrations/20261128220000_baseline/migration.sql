-- All that the console needs in an empty database. The first half is what Prisma writes from schema.prisma:
-- prisma migrate diff --from-empty --to-schema prisma/schema.prisma --script

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

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "sessions" (
    "token_hash" TEXT NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "user_agent" TEXT,
    "ip" TEXT,
    "authenticated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "public_id" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash")
);

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

    CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "token_use_hours" (
    "token_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "limited" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "peak" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "token_use_hours_pkey" PRIMARY KEY ("token_id","hour")
);

CREATE TABLE "token_visitors" (
    "token_id" INTEGER NOT NULL,
    "ip" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "agent" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "known_at" TIMESTAMPTZ(3),

    CONSTRAINT "token_visitors_pkey" PRIMARY KEY ("token_id","ip")
);

CREATE TABLE "token_events" (
    "id" SERIAL NOT NULL,
    "token_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "notice_due" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "token_events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "servers" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "hostname" TEXT NOT NULL,
    "public_ip" TEXT,
    "facts" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stability" JSONB NOT NULL DEFAULT '{}',
    "form_nonce" TEXT,
    "daemon" TEXT,
    "daemon_before" TEXT,
    "two_daemons_at" TIMESTAMPTZ(3),
    "latest_sample_at" TIMESTAMPTZ(3),
    "latest_sample" JSON,
    "first_seen_at" TIMESTAMPTZ(3),
    "conditions" JSONB,
    "unrated_since" TIMESTAMPTZ(3),
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "servers_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "server_events" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "notice_due" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "server_events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "maintenance_times" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "maintenance_times_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "uptime_sums" (
    "server_id" INTEGER NOT NULL,
    "unit" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "zone" TEXT NOT NULL,
    "recorded_ms" BIGINT NOT NULL,
    "offline_ms" BIGINT NOT NULL,
    "unreachable_ms" BIGINT NOT NULL,
    "unknown_ms" BIGINT NOT NULL,
    "maintenance_ms" BIGINT NOT NULL,
    "outages" INTEGER NOT NULL,
    "carried" INTEGER NOT NULL,

    CONSTRAINT "uptime_sums_pkey" PRIMARY KEY ("server_id","unit","started_at")
);

CREATE TABLE "console_presence" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "looked_at" TIMESTAMPTZ(3),

    CONSTRAINT "console_presence_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "blind_times" (
    "id" SERIAL NOT NULL,
    "cause" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "fallen" INTEGER NOT NULL DEFAULT 0,
    "settled" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "blind_times_pkey" PRIMARY KEY ("id")
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

    CONSTRAINT "server_keys_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "agent_states" (
    "key_id" INTEGER NOT NULL,
    "door" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "instants" JSON NOT NULL,

    CONSTRAINT "agent_states_pkey" PRIMARY KEY ("key_id","door")
);

CREATE TABLE "telemetry_samples" (
    "server_id" INTEGER NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "cpu_pct" DOUBLE PRECISION,
    "cpu_steal_pct" DOUBLE PRECISION,
    "cpu_iowait_pct" DOUBLE PRECISION,
    "load5" DOUBLE PRECISION,
    "mem_used_mb" DOUBLE PRECISION,
    "mem_total_mb" DOUBLE PRECISION,
    "swap_used_pct" DOUBLE PRECISION,
    "disk_used_pct" DOUBLE PRECISION,
    "net_loss_pct" DOUBLE PRECISION,
    "net_retransmit_pct" DOUBLE PRECISION,
    "uptime_s" DOUBLE PRECISION,
    "oom_kills" INTEGER,
    "failed_units" INTEGER,
    "cores" DOUBLE PRECISION,
    "arrived_at" TIMESTAMPTZ(3),

    CONSTRAINT "telemetry_samples_pkey" PRIMARY KEY ("server_id","ts")
) PARTITION BY RANGE ("ts");

CREATE TABLE "telemetry_hours" (
    "server_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "samples" INTEGER NOT NULL,
    "bands" JSONB NOT NULL DEFAULT '{}',
    "stale" BOOLEAN NOT NULL DEFAULT false,
    "rule" SMALLINT,
    "late" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "telemetry_hours_pkey" PRIMARY KEY ("server_id","hour")
);

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

    CONSTRAINT "benchmark_runs_pkey" PRIMARY KEY ("id")
);

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

    CONSTRAINT "game_services_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "service_events" (
    "id" SERIAL NOT NULL,
    "service_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "notice_due" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "service_events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "service_grants" (
    "service_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_grants_pkey" PRIMARY KEY ("service_id","account_id")
);

CREATE TABLE "service_shares" (
    "service_id" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "typed_email" TEXT NOT NULL,
    "account_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_shares_pkey" PRIMARY KEY ("service_id","email")
);

CREATE TABLE "hostname_claims" (
    "hostname" TEXT NOT NULL,
    "service_id" INTEGER,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "active_at" TIMESTAMPTZ(3),
    "account_id" INTEGER,
    "released_at" TIMESTAMPTZ(3),

    CONSTRAINT "hostname_claims_pkey" PRIMARY KEY ("hostname")
);

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

CREATE TABLE "edge_node_minutes" (
    "node_id" INTEGER NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "packets" BIGINT NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "dropped" BIGINT NOT NULL DEFAULT 0,
    "connections" BIGINT NOT NULL DEFAULT 0,
    "refused" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "edge_node_minutes_pkey" PRIMARY KEY ("node_id","ts")
);

CREATE TABLE "edge_node_keys" (
    "id" SERIAL NOT NULL,
    "node_id" INTEGER NOT NULL,
    "key_hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "edge_node_keys_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "edge_acknowledgements" (
    "service_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "error" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "serving_version" INTEGER,
    "warning" TEXT,

    CONSTRAINT "edge_acknowledgements_pkey" PRIMARY KEY ("service_id","node_id")
);

CREATE TABLE "tickets" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "service_id" INTEGER,
    "subject" TEXT NOT NULL,
    "status" "ticket_status" NOT NULL DEFAULT 'open',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tickets_pkey" PRIMARY KEY ("id")
);

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

    CONSTRAINT "metric_samples_pkey" PRIMARY KEY ("service_id","ts","node_id")
) PARTITION BY RANGE ("ts");

CREATE TABLE "sweeps" (
    "name" TEXT NOT NULL,
    "holder" TEXT,
    "leased_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "sweeps_pkey" PRIMARY KEY ("name")
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

    CONSTRAINT "notice_channels_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "notice_settings" (
    "account_id" INTEGER NOT NULL,
    "rules" JSONB NOT NULL DEFAULT '{}',
    "quiet_from" SMALLINT,
    "quiet_to" SMALLINT,
    "quiet_zone" TEXT,

    CONSTRAINT "notice_settings_pkey" PRIMARY KEY ("account_id")
);

CREATE TABLE "shared_service_events" (
    "account_id" INTEGER NOT NULL,
    "event_id" INTEGER NOT NULL,

    CONSTRAINT "shared_service_events_pkey" PRIMARY KEY ("account_id","event_id")
);

CREATE TABLE "notice_incidents" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "told_at" TIMESTAMPTZ(3),
    "told_in" UUID,
    "is_flapping" BOOLEAN NOT NULL DEFAULT false,
    "look_at" TIMESTAMPTZ(3),

    CONSTRAINT "notice_incidents_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "notices" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "account_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "thread" UUID NOT NULL,
    "incidents" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "facts" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "notice_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "notice_id" UUID NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'due',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "content" JSON,
    "ended_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "notice_deliveries_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "server_snoozes" (
    "server_id" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_snoozes_pkey" PRIMARY KEY ("server_id")
);

CREATE TABLE "notice_confirmations" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "email_hash" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notice_confirmations_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");
CREATE UNIQUE INDEX "sessions_public_id_key" ON "sessions"("public_id");
CREATE INDEX "sessions_account_id_idx" ON "sessions"("account_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
CREATE UNIQUE INDEX "access_tokens_token_hash_key" ON "access_tokens"("token_hash");
CREATE INDEX "access_tokens_replaced_by_id_idx" ON "access_tokens"("replaced_by_id");
CREATE INDEX "access_tokens_expires_at_idx" ON "access_tokens"("expires_at");
CREATE UNIQUE INDEX "access_tokens_account_id_form_nonce_key" ON "access_tokens"("account_id", "form_nonce");
CREATE INDEX "token_events_ended_at_idx" ON "token_events"("ended_at");
CREATE UNIQUE INDEX "token_events_token_id_started_at_kind_key" ON "token_events"("token_id", "started_at", "kind");
CREATE INDEX "servers_account_id_id_idx" ON "servers"("account_id", "id");
CREATE UNIQUE INDEX "servers_account_id_form_nonce_key" ON "servers"("account_id", "form_nonce");
CREATE INDEX "server_events_ended_at_idx" ON "server_events"("ended_at");
CREATE UNIQUE INDEX "server_events_server_id_started_at_kind_key" ON "server_events"("server_id", "started_at", "kind");
CREATE INDEX "maintenance_times_server_id_started_at_idx" ON "maintenance_times"("server_id", "started_at");
CREATE INDEX "blind_times_ended_at_idx" ON "blind_times"("ended_at");
CREATE UNIQUE INDEX "blind_times_started_at_cause_key" ON "blind_times"("started_at", "cause");
CREATE UNIQUE INDEX "server_keys_key_hash_key" ON "server_keys"("key_hash");
CREATE INDEX "server_keys_server_id_idx" ON "server_keys"("server_id");
CREATE INDEX "server_keys_expires_at_idx" ON "server_keys"("expires_at");
CREATE INDEX "benchmark_runs_server_id_status_finished_at_id_idx" ON "benchmark_runs"("server_id", "status", "finished_at" DESC, "id" DESC);
CREATE INDEX "benchmark_runs_agent_token_hash_idx" ON "benchmark_runs"("agent_token_hash");
CREATE INDEX "game_services_account_id_id_idx" ON "game_services"("account_id", "id");
CREATE UNIQUE INDEX "game_services_account_id_form_nonce_key" ON "game_services"("account_id", "form_nonce");
CREATE INDEX "service_events_ended_at_idx" ON "service_events"("ended_at");
CREATE INDEX "service_events_service_id_ended_at_idx" ON "service_events"("service_id", "ended_at");
CREATE UNIQUE INDEX "service_events_service_id_started_at_kind_key" ON "service_events"("service_id", "started_at", "kind");
CREATE INDEX "service_grants_account_id_service_id_idx" ON "service_grants"("account_id", "service_id");
CREATE INDEX "service_shares_email_idx" ON "service_shares"("email");
CREATE INDEX "service_shares_account_id_idx" ON "service_shares"("account_id");
CREATE INDEX "hostname_claims_service_id_idx" ON "hostname_claims"("service_id");
CREATE INDEX "hostname_claims_account_id_released_at_idx" ON "hostname_claims"("account_id", "released_at");
CREATE UNIQUE INDEX "edge_nodes_name_key" ON "edge_nodes"("name");
CREATE UNIQUE INDEX "edge_node_keys_key_hash_key" ON "edge_node_keys"("key_hash");
CREATE INDEX "edge_node_keys_node_id_idx" ON "edge_node_keys"("node_id");
CREATE INDEX "edge_acknowledgements_node_id_idx" ON "edge_acknowledgements"("node_id");
CREATE INDEX "tickets_service_id_account_id_status_idx" ON "tickets"("service_id", "account_id", "status");
CREATE INDEX "tickets_account_id_idx" ON "tickets"("account_id");
CREATE INDEX "tickets_status_id_idx" ON "tickets"("status", "id");
CREATE UNIQUE INDEX "notice_channels_unsubscribe_hash_key" ON "notice_channels"("unsubscribe_hash");
CREATE UNIQUE INDEX "notice_channels_account_id_form_nonce_key" ON "notice_channels"("account_id", "form_nonce");
CREATE INDEX "shared_service_events_event_id_idx" ON "shared_service_events"("event_id");
CREATE INDEX "notice_incidents_subject_subject_id_started_at_idx" ON "notice_incidents"("subject", "subject_id", "started_at");
CREATE INDEX "notice_incidents_look_at_idx" ON "notice_incidents"("look_at");
CREATE INDEX "notice_incidents_account_id_told_at_idx" ON "notice_incidents"("account_id", "told_at");
CREATE UNIQUE INDEX "notice_incidents_account_id_subject_subject_id_kind_started_key" ON "notice_incidents"("account_id", "subject", "subject_id", "kind", "started_at");
CREATE INDEX "notices_account_id_created_at_idx" ON "notices"("account_id", "created_at");
CREATE INDEX "notices_created_at_idx" ON "notices"("created_at");
CREATE INDEX "notice_deliveries_channel_id_due_at_idx" ON "notice_deliveries"("channel_id", "due_at");
CREATE UNIQUE INDEX "notice_deliveries_notice_id_channel_id_key" ON "notice_deliveries"("notice_id", "channel_id");
CREATE INDEX "notice_confirmations_email_hash_sent_at_idx" ON "notice_confirmations"("email_hash", "sent_at");
CREATE INDEX "notice_confirmations_account_id_sent_at_idx" ON "notice_confirmations"("account_id", "sent_at");
CREATE INDEX "notice_confirmations_sent_at_idx" ON "notice_confirmations"("sent_at");

ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_replaced_by_id_fkey" FOREIGN KEY ("replaced_by_id") REFERENCES "access_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "token_use_hours" ADD CONSTRAINT "token_use_hours_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "token_visitors" ADD CONSTRAINT "token_visitors_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "token_events" ADD CONSTRAINT "token_events_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "server_events" ADD CONSTRAINT "server_events_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "maintenance_times" ADD CONSTRAINT "maintenance_times_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "uptime_sums" ADD CONSTRAINT "uptime_sums_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "server_keys" ADD CONSTRAINT "server_keys_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "agent_states" ADD CONSTRAINT "agent_states_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "server_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "telemetry_samples" ADD CONSTRAINT "telemetry_samples_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "telemetry_hours" ADD CONSTRAINT "telemetry_hours_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "benchmark_runs" ADD CONSTRAINT "benchmark_runs_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "game_services" ADD CONSTRAINT "game_services_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_events" ADD CONSTRAINT "service_events_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_grants" ADD CONSTRAINT "service_grants_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_grants" ADD CONSTRAINT "service_grants_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_shares" ADD CONSTRAINT "service_shares_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "service_shares" ADD CONSTRAINT "service_shares_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "hostname_claims" ADD CONSTRAINT "hostname_claims_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "hostname_claims" ADD CONSTRAINT "hostname_claims_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "edge_node_minutes" ADD CONSTRAINT "edge_node_minutes_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "edge_node_keys" ADD CONSTRAINT "edge_node_keys_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "edge_acknowledgements" ADD CONSTRAINT "edge_acknowledgements_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "edge_acknowledgements" ADD CONSTRAINT "edge_acknowledgements_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "metric_samples" ADD CONSTRAINT "metric_samples_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_channels" ADD CONSTRAINT "notice_channels_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_settings" ADD CONSTRAINT "notice_settings_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "shared_service_events" ADD CONSTRAINT "shared_service_events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "notice_settings"("account_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "shared_service_events" ADD CONSTRAINT "shared_service_events_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "service_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_incidents" ADD CONSTRAINT "notice_incidents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notices" ADD CONSTRAINT "notices_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_deliveries" ADD CONSTRAINT "notice_deliveries_notice_id_fkey" FOREIGN KEY ("notice_id") REFERENCES "notices"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_deliveries" ADD CONSTRAINT "notice_deliveries_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "notice_channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "server_snoozes" ADD CONSTRAINT "server_snoozes_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_confirmations" ADD CONSTRAINT "notice_confirmations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on: what schema.prisma has no words for.

-- The ranges that the API promises. PostgreSQL sorts NaN above infinity: "< 'infinity'" refuses both, which JSON cannot hold.
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_email_lower_case" CHECK ("email" = lower("email") AND "email" <> '');
ALTER TABLE "access_tokens"
  ADD CONSTRAINT "access_tokens_token_hash_hex" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
  ADD CONSTRAINT "access_tokens_refused_count_range" CHECK ("refused_count" >= 0),
  ADD CONSTRAINT "access_tokens_networks_range" CHECK (cardinality("networks") <= 20 AND "networks"::cidr[] IS NOT NULL) NOT VALID;
ALTER TABLE "token_events"
  ADD CONSTRAINT "token_events_order" CHECK ("ended_at" >= "started_at"),
  ADD CONSTRAINT "token_events_small" CHECK (length("kind") <= 32 AND pg_column_size("facts") <= 2000);
ALTER TABLE "servers"
  ADD CONSTRAINT "servers_facts_object" CHECK (jsonb_typeof("facts") = 'object'),
  ADD CONSTRAINT "servers_stability_object" CHECK (jsonb_typeof("stability") = 'object'),
  ADD CONSTRAINT "servers_tags_few" CHECK (cardinality("tags") <= 10 AND length(array_to_string("tags", '')) <= 320) NOT VALID;
ALTER TABLE "server_events"
  ADD CONSTRAINT "server_events_order" CHECK ("ended_at" >= "started_at"),
  ADD CONSTRAINT "server_events_small" CHECK (length("kind") <= 32 AND pg_column_size("facts") <= 2000);
ALTER TABLE "maintenance_times"
  ADD CONSTRAINT "maintenance_times_order" CHECK ("ended_at" >= "started_at");
ALTER TABLE "uptime_sums"
  ADD CONSTRAINT "uptime_sums_unit" CHECK ("unit" IN ('day', 'month'));
ALTER TABLE "console_presence"
  ADD CONSTRAINT "console_presence_one" CHECK ("id" = 1);
ALTER TABLE "blind_times"
  ADD CONSTRAINT "blind_times_order" CHECK ("ended_at" >= "started_at");
ALTER TABLE "server_keys"
  ADD CONSTRAINT "server_keys_key_hash_hex" CHECK ("key_hash" ~ '^[0-9a-f]{64}$');
ALTER TABLE "telemetry_samples"
  ADD CONSTRAINT "telemetry_samples_cpu_pct_range" CHECK ("cpu_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_cpu_steal_pct_range" CHECK ("cpu_steal_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_cpu_iowait_pct_range" CHECK ("cpu_iowait_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_load5_range" CHECK ("load5" >= 0 AND "load5" < 'infinity'),
  ADD CONSTRAINT "telemetry_samples_mem_used_mb_range" CHECK ("mem_used_mb" >= 0 AND "mem_used_mb" < 'infinity'),
  ADD CONSTRAINT "telemetry_samples_mem_total_mb_range" CHECK ("mem_total_mb" >= 0 AND "mem_total_mb" < 'infinity'),
  ADD CONSTRAINT "telemetry_samples_swap_used_pct_range" CHECK ("swap_used_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_disk_used_pct_range" CHECK ("disk_used_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_net_loss_pct_range" CHECK ("net_loss_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_net_retransmit_pct_range" CHECK ("net_retransmit_pct" BETWEEN 0 AND 100),
  ADD CONSTRAINT "telemetry_samples_uptime_s_range" CHECK ("uptime_s" >= 0 AND "uptime_s" < 'infinity'),
  ADD CONSTRAINT "telemetry_samples_oom_kills_range" CHECK ("oom_kills" >= 0),
  ADD CONSTRAINT "telemetry_samples_failed_units_range" CHECK ("failed_units" >= 0);
ALTER TABLE "telemetry_hours"
  ADD CONSTRAINT "telemetry_hours_samples_range" CHECK ("samples" >= 0),
  ADD CONSTRAINT "telemetry_hours_bands_object" CHECK (jsonb_typeof("bands") = 'object');
ALTER TABLE "benchmark_runs"
  ADD CONSTRAINT "benchmark_runs_cpu_range" CHECK ("cpu" BETWEEN 0 AND 100),
  ADD CONSTRAINT "benchmark_runs_disk_range" CHECK ("disk" BETWEEN 0 AND 100),
  ADD CONSTRAINT "benchmark_runs_network_range" CHECK ("network" BETWEEN 0 AND 100),
  ADD CONSTRAINT "benchmark_runs_stability_range" CHECK ("stability" BETWEEN 0 AND 100),
  ADD CONSTRAINT "benchmark_runs_total_range" CHECK ("total" BETWEEN 0 AND 100),
  ADD CONSTRAINT "benchmark_runs_done_is_finished" CHECK ("status" <> 'done' OR "finished_at" IS NOT NULL);
ALTER TABLE "game_services"
  ADD CONSTRAINT "game_services_origin_port_range" CHECK ("origin_port" BETWEEN 1 AND 65535),
  ADD CONSTRAINT "game_services_config_version_range" CHECK ("config_version" >= 0);
ALTER TABLE "service_events"
  ADD CONSTRAINT "service_events_order" CHECK ("ended_at" >= "started_at"),
  ADD CONSTRAINT "service_events_small" CHECK (length("kind") <= 32 AND pg_column_size("facts") <= 2000);
ALTER TABLE "service_shares"
  ADD CONSTRAINT "service_shares_lower_case" CHECK ("email" = lower("email") AND "email" <> '');
ALTER TABLE "hostname_claims"
  ADD CONSTRAINT "hostname_claims_lower_case" CHECK ("hostname" = lower("hostname"));
ALTER TABLE "edge_node_keys"
  ADD CONSTRAINT "edge_node_keys_key_hash_hex" CHECK ("key_hash" ~ '^[0-9a-f]{64}$');
ALTER TABLE "edge_acknowledgements"
  ADD CONSTRAINT "edge_acknowledgements_version_range" CHECK ("version" >= -1);
ALTER TABLE "metric_samples"
  ADD CONSTRAINT "metric_samples_node_id_range" CHECK ("node_id" >= 0),
  ADD CONSTRAINT "metric_samples_packets_range" CHECK ("packets" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_bytes_range" CHECK ("bytes" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_dropped_range" CHECK ("dropped" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_connections_range" CHECK ("connections" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_latency_ms_range" CHECK ("latency_ms" >= 0 AND "latency_ms" < 'infinity');
ALTER TABLE "sweeps"
  ADD CONSTRAINT "sweeps_report_object" CHECK (jsonb_typeof("report") = 'object');
ALTER TABLE "notice_channels"
  ADD CONSTRAINT "notice_channels_kind" CHECK ("kind" IN ('mail', 'webhook', 'discord')),
  ADD CONSTRAINT "notice_channels_small" CHECK (length("name") <= 200 AND length("sealed") <= 16000 AND length("host") <= 300 AND length("email") <= 320 AND length("off_reason") <= 500);
ALTER TABLE "notice_settings"
  ADD CONSTRAINT "notice_settings_quiet" CHECK ("quiet_from" BETWEEN 0 AND 1439 AND "quiet_to" BETWEEN 0 AND 1439),
  ADD CONSTRAINT "notice_settings_small" CHECK (pg_column_size("rules") <= 4000 AND length("quiet_zone") <= 64);
ALTER TABLE "notice_incidents"
  ADD CONSTRAINT "notice_incidents_order" CHECK ("ended_at" >= "started_at"),
  ADD CONSTRAINT "notice_incidents_small" CHECK (length("subject") <= 16 AND length("kind") <= 32 AND pg_column_size("facts") <= 2000);
ALTER TABLE "notices"
  ADD CONSTRAINT "notices_small" CHECK (length("kind") <= 16 AND pg_column_size("facts") <= 2000);
ALTER TABLE "notice_deliveries"
  ADD CONSTRAINT "notice_deliveries_state" CHECK ("state" IN ('due', 'delivered', 'undelivered', 'dropped')),
  ADD CONSTRAINT "notice_deliveries_small" CHECK (length("reason") <= 500);

-- A server has one current key.
CREATE UNIQUE INDEX "server_keys_one_current" ON "server_keys"("server_id") WHERE "expires_at" IS NULL;
-- Services that share a public hostname, whatever its case.
CREATE INDEX "game_services_hostname_idx" ON "game_services"(lower("java_hostname"), "id");
-- What is still to be told. Each index holds only those rows.
CREATE INDEX "server_events_notice_due" ON "server_events"("server_id") WHERE "notice_due";
CREATE INDEX "token_events_notice_due" ON "token_events"("token_id") WHERE "notice_due";
CREATE INDEX "service_events_notice_due" ON "service_events"("service_id") WHERE "notice_due";
CREATE INDEX "notice_incidents_open" ON "notice_incidents"("account_id", "look_at") WHERE "look_at" IS NOT NULL;
CREATE INDEX "notice_deliveries_due" ON "notice_deliveries"("attempt_at") WHERE "state" = 'due';

-- Samples of servers and intervals of game services lie in partitions by day (UTC): deleting a day is dropping a table, and
-- a query reads only the days that it asks for. A DEFAULT partition takes the rows of days that have none.
-- A table that held rows when it was cut into days keeps them in one partition "<table>_before". A new database has none.

-- The end of that partition. Null: there is none.
CREATE FUNCTION "partition_before_end"("parent" text) RETURNS timestamptz
LANGUAGE sql STABLE SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
  SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
  FROM pg_class c WHERE c.oid = to_regclass(parent || '_before')
$$;

-- Drops that partition with all its rows. A lock that is not free within 100 ms fails the statement (55P03), so that nobody
-- waits behind it for longer.
CREATE FUNCTION "drop_partition_before"("parent" text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  partition text := parent || '_before';
BEGIN
  IF to_regclass(partition) IS NULL THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END $$;

-- Makes the partition of the day that begins at "day" (midnight, UTC). Rows of that day that the DEFAULT partition holds
-- move along in the same transaction: no reader ever misses them. More than "most" of them would take too long: then
-- they and the day stay where they are. Answers 'made', 'exists' or 'too many'. Locks as above.
CREATE FUNCTION "make_day_partition"("parent" text, "day" timestamptz, "most" integer) RETURNS text
LANGUAGE plpgsql SET lock_timeout = '100ms' SET timezone = 'UTC' AS $$
DECLARE
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
  rest text := parent || '_default';
  until timestamptz := day + interval '24 hours';
  misplaced integer;
BEGIN
  IF to_regclass(partition) IS NOT NULL OR day < partition_before_end(parent) THEN RETURN 'exists'; END IF;
  EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE ts >= $1 AND ts < $2 LIMIT $3) misplaced', rest)
    INTO misplaced USING day, until, most + 1;
  IF misplaced > most THEN RETURN 'too many'; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition, parent);
  IF misplaced > 0 THEN
    EXECUTE format('WITH moved AS (DELETE FROM %I WHERE ts >= $1 AND ts < $2 RETURNING *)
      INSERT INTO %I SELECT * FROM moved', rest, partition) USING day, until;
    -- A reader that found the partitions before this one was there would look for these rows where they no longer are.
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', parent);
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, day, until);
  RETURN 'made';
END $$;

-- Drops the partition of that day with all its rows. False: there is none. Locks as above.
CREATE FUNCTION "drop_day_partition"("parent" text, "day" timestamptz) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' SET timezone = 'UTC' AS $$
DECLARE
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
BEGIN
  IF to_regclass(partition) IS NULL THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END $$;

CREATE TABLE "telemetry_samples_default" PARTITION OF "telemetry_samples" DEFAULT;
CREATE TABLE "metric_samples_default" PARTITION OF "metric_samples" DEFAULT;
SELECT make_day_partition(parent, date_trunc('day', now(), 'UTC') + n * interval '24 hours', 0)
  FROM unnest(ARRAY['telemetry_samples', 'metric_samples']) parent, generate_series(0, 3) n;

-- A sample of an hour that is over makes the sums of that hour stale, and those of the 23 hours after it, whose scores look
-- back on it. While a server is silent its score follows from the last sample, so the hours up to the next sample are stale
-- as well. Samples of the current hour, nearly all there are, cost one comparison. Deleting samples makes nothing stale.
-- The lock waits for whoever sums up this server now, and sees the result.
CREATE FUNCTION "mark_telemetry_hours_stale"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM changed WHERE ts < date_trunc('hour', clock_timestamp(), 'UTC')) THEN
    PERFORM FROM servers WHERE id IN (SELECT server_id FROM changed) ORDER BY id FOR KEY SHARE;
    UPDATE telemetry_hours h SET stale = true, rule = NULL
      FROM (
        SELECT *, (SELECT min(ts) FROM telemetry_samples t WHERE t.server_id = span.server_id AND t.ts > span.last) AS next
        FROM (SELECT server_id, min(ts) AS first, max(ts) AS last FROM changed GROUP BY server_id) span) c
      WHERE h.server_id = c.server_id AND NOT h.stale AND h.hour >= date_trunc('hour', c.first, 'UTC')
        AND (h.hour <= c.last + interval '23 hours' OR c.next IS NULL OR h.hour < c.next);
    -- An hour is not summed up again from fewer samples than it had; those that were moved away are not missing.
    IF TG_NAME = 'telemetry_samples_moved' THEN
      UPDATE telemetry_hours h SET samples = greatest(0, h.samples - c.moved)
        FROM (SELECT server_id, date_trunc('hour', ts, 'UTC') AS hour, count(*) AS moved FROM changed GROUP BY 1, 2) c
        WHERE h.server_id = c.server_id AND h.hour = c.hour;
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "telemetry_samples_inserted" AFTER INSERT ON "telemetry_samples"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "mark_telemetry_hours_stale"();
CREATE TRIGGER "telemetry_samples_updated" AFTER UPDATE ON "telemetry_samples"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "mark_telemetry_hours_stale"();
-- A sample that was moved to another time is missing where it was.
CREATE TRIGGER "telemetry_samples_moved" AFTER UPDATE ON "telemetry_samples"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "mark_telemetry_hours_stale"();

-- Keeps the latest sample of each server, in whatever order samples arrive. A check-in has written it already, in the same
-- statement: then no row is found here. Deleting samples changes nothing.
-- A loop, so that servers are looked up by their key and locked in the order of their ids, however many samples there are.
CREATE FUNCTION "keep_latest_samples"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  newest record;
BEGIN
  FOR newest IN SELECT DISTINCT ON (server_id) *, min(ts) OVER (PARTITION BY server_id) AS first_ts
    FROM changed ORDER BY server_id, ts DESC
  LOOP
    UPDATE servers
      SET latest_sample_at = newest.ts, latest_sample = (to_jsonb(newest) - '{server_id,ts,first_ts}'::text[])::json,
        unrated_since = CASE WHEN TG_OP = 'INSERT' THEN least(unrated_since, newest.first_ts) ELSE unrated_since END
      WHERE id = newest.server_id AND (latest_sample_at IS NULL OR latest_sample_at < newest.ts
        OR latest_sample_at = newest.ts AND TG_OP = 'UPDATE');
  END LOOP;
  RETURN NULL;
END $$;

-- A latest sample that was moved to an earlier time is no longer where it was: the newest of those that are there follows.
CREATE FUNCTION "replace_moved_latest_samples"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved record;
BEGIN
  FOR moved IN SELECT server_id, max(ts) AS ts FROM changed GROUP BY server_id ORDER BY server_id LOOP
    UPDATE servers s
      SET (latest_sample_at, latest_sample) = (
        SELECT t.ts, (to_jsonb(t) - '{server_id,ts}'::text[])::json
        FROM telemetry_samples t WHERE t.server_id = moved.server_id ORDER BY t.ts DESC LIMIT 1)
      WHERE s.id = moved.server_id AND s.latest_sample_at = moved.ts AND NOT EXISTS (
        SELECT FROM telemetry_samples t WHERE t.server_id = moved.server_id AND t.ts = moved.ts);
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER "telemetry_samples_latest_inserted" AFTER INSERT ON "telemetry_samples"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "keep_latest_samples"();
CREATE TRIGGER "telemetry_samples_latest_updated" AFTER UPDATE ON "telemetry_samples"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "keep_latest_samples"();
CREATE TRIGGER "telemetry_samples_latest_moved" AFTER UPDATE ON "telemetry_samples"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "replace_moved_latest_samples"();

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

-- Each status of a game service, with its error, is an event.
CREATE FUNCTION "note_service_status"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- Other writers may leave updated_at as it was.
  moment timestamptz(3) := CASE WHEN TG_OP = 'UPDATE' AND NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at
    THEN now() ELSE NEW.updated_at END;
BEGIN
  UPDATE service_events SET ended_at = greatest(started_at, moment)
    WHERE service_id = NEW.id AND ended_at IS NULL AND kind = ANY (enum_range(NULL::game_service_status)::text[])
      AND NOT (kind = NEW.status::text AND started_at = moment);
  INSERT INTO service_events (service_id, kind, started_at, facts)
    VALUES (NEW.id, NEW.status::text, moment,
      CASE WHEN NEW.error IS NULL THEN '{}' ELSE jsonb_build_object('error', left(NEW.error, 300)) END)
    ON CONFLICT (service_id, started_at, kind) DO UPDATE SET ended_at = NULL, facts = EXCLUDED.facts;
  RETURN NULL;
END $$;

CREATE TRIGGER "game_services_status_inserted" AFTER INSERT ON "game_services"
  FOR EACH ROW EXECUTE FUNCTION "note_service_status"();
CREATE TRIGGER "game_services_status_updated" AFTER UPDATE OF "status", "error" ON "game_services" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.error IS DISTINCT FROM NEW.error)
  EXECUTE FUNCTION "note_service_status"();

-- Rows that are updated every 30 seconds or every minute: with room left in their page, an update touches no index.
-- VACUUM of them, and of what is deleted row by row, starts at a tenth of the usual share of dead rows.
ALTER TABLE "servers" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "server_keys" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "access_tokens" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "token_use_hours" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "sessions" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "telemetry_hours" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "telemetry_samples_default" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "metric_samples_default" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
