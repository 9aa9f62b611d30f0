-- How many samples of an hour had a value of each measurement. Null: the hour is older, and all its samples count.
ALTER TABLE "telemetry_hours"
  ADD COLUMN "score_count" SMALLINT,
  ADD COLUMN "cpu_pct_count" SMALLINT,
  ADD COLUMN "cpu_steal_pct_count" SMALLINT,
  ADD COLUMN "cpu_iowait_pct_count" SMALLINT,
  ADD COLUMN "mem_used_pct_count" SMALLINT,
  ADD COLUMN "swap_used_pct_count" SMALLINT,
  ADD COLUMN "disk_used_pct_count" SMALLINT,
  ADD COLUMN "net_loss_pct_count" SMALLINT,
  ADD COLUMN "net_retransmit_pct_count" SMALLINT;
