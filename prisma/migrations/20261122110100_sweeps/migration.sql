-- CreateTable
CREATE TABLE "sweeps" (
    "name" TEXT NOT NULL,
    "holder" TEXT,
    "leased_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "sweeps_pkey" PRIMARY KEY ("name")
);

ALTER TABLE "sweeps" ADD CONSTRAINT "sweeps_report_object" CHECK (jsonb_typeof("report") = 'object');

-- The sweep finds by these what has ended, instead of reading all keys.
CREATE INDEX "server_keys_expires_at_idx" ON "server_keys"("expires_at");

-- Rows that are updated every 30 seconds or every minute: with room left in their page, an update touches no index.
-- VACUUM of them, and of what is still deleted row by row, starts at a tenth of the usual share of dead rows.
ALTER TABLE "servers" SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "server_keys" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "access_tokens" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "token_use_hours" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "sessions" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "telemetry_hours" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "telemetry_samples_default" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "metric_samples_default" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
