-- CreateEnum
CREATE TYPE "account_role" AS ENUM ('customer', 'support', 'admin');

-- CreateEnum
CREATE TYPE "benchmark_status" AS ENUM ('pending', 'running', 'done');

-- CreateEnum
CREATE TYPE "game_service_status" AS ENUM ('pending_config', 'configuring', 'active', 'failed', 'disabled', 'deleting');

-- CreateEnum
CREATE TYPE "ticket_status" AS ENUM ('open', 'closed');

-- CreateTable
CREATE TABLE "accounts" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "account_role" NOT NULL DEFAULT 'customer',
    "password_hash" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "token_hash" TEXT NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "user_agent" TEXT,
    "ip" TEXT,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
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

    CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "telemetry_samples_pkey" PRIMARY KEY ("server_id","ts")
);

-- CreateTable
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

-- CreateTable
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

    CONSTRAINT "game_services_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service_grants" (
    "service_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_grants_pkey" PRIMARY KEY ("service_id","account_id")
);

-- CreateTable
CREATE TABLE "tickets" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "service_id" INTEGER,
    "subject" TEXT NOT NULL,
    "status" "ticket_status" NOT NULL DEFAULT 'open',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tickets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric_samples" (
    "service_id" INTEGER NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "node_id" INTEGER NOT NULL,
    "packets" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "dropped" BIGINT NOT NULL,
    "connections" BIGINT NOT NULL,
    "latency_ms" DOUBLE PRECISION,

    CONSTRAINT "metric_samples_pkey" PRIMARY KEY ("service_id","ts","node_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts"("email");

-- CreateIndex
CREATE INDEX "sessions_account_id_idx" ON "sessions"("account_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "access_tokens_token_hash_key" ON "access_tokens"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "access_tokens_account_id_form_nonce_key" ON "access_tokens"("account_id", "form_nonce");

-- CreateIndex
CREATE INDEX "servers_account_id_id_idx" ON "servers"("account_id", "id");

-- CreateIndex
CREATE INDEX "benchmark_runs_server_id_status_finished_at_id_idx" ON "benchmark_runs"("server_id", "status", "finished_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "game_services_account_id_id_idx" ON "game_services"("account_id", "id");

-- CreateIndex
CREATE INDEX "service_grants_account_id_service_id_idx" ON "service_grants"("account_id", "service_id");

-- CreateIndex
CREATE INDEX "tickets_service_id_account_id_status_idx" ON "tickets"("service_id", "account_id", "status");

-- CreateIndex
CREATE INDEX "tickets_account_id_idx" ON "tickets"("account_id");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "servers" ADD CONSTRAINT "servers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "telemetry_samples" ADD CONSTRAINT "telemetry_samples_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "benchmark_runs" ADD CONSTRAINT "benchmark_runs_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "game_services" ADD CONSTRAINT "game_services_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_grants" ADD CONSTRAINT "service_grants_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_grants" ADD CONSTRAINT "service_grants_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_samples" ADD CONSTRAINT "metric_samples_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The ranges that the API promises. Prisma has no syntax for CHECK constraints, so they are kept here by hand.
-- PostgreSQL sorts NaN above infinity: "< 'infinity'" refuses both, neither of which JSON can hold.

ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_email_lower_case" CHECK ("email" = lower("email") AND "email" <> '');

ALTER TABLE "access_tokens"
  ADD CONSTRAINT "access_tokens_token_hash_hex" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
  ADD CONSTRAINT "access_tokens_refused_count_range" CHECK ("refused_count" >= 0);

ALTER TABLE "servers"
  ADD CONSTRAINT "servers_facts_object" CHECK (jsonb_typeof("facts") = 'object'),
  ADD CONSTRAINT "servers_stability_object" CHECK (jsonb_typeof("stability") = 'object');

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

ALTER TABLE "metric_samples"
  ADD CONSTRAINT "metric_samples_node_id_range" CHECK ("node_id" >= 0),
  ADD CONSTRAINT "metric_samples_packets_range" CHECK ("packets" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_bytes_range" CHECK ("bytes" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_dropped_range" CHECK ("dropped" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_connections_range" CHECK ("connections" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "metric_samples_latency_ms_range" CHECK ("latency_ms" >= 0 AND "latency_ms" < 'infinity');
