-- Samples of servers and intervals of game services become range partitions by day (UTC): deleting a day is dropping a
-- table, and a query reads only the days that it asks for. A DEFAULT partition takes the rows of days that have none.

-- Makes the partition of the day that begins at "day" (midnight, UTC). Rows of that day that the DEFAULT partition holds
-- move along in the same transaction: no reader ever misses them. More than "most" of them would take too long: then
-- they and the day stay where they are. Answers 'made', 'exists' or 'too many'.
-- A lock that is not free within 100 ms fails the statement (55P03), so that nobody waits behind it for longer.
CREATE FUNCTION "make_day_partition"("parent" text, "day" timestamptz, "most" integer) RETURNS text
LANGUAGE plpgsql SET lock_timeout = '100ms' SET timezone = 'UTC' AS $$
DECLARE
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
  rest text := parent || '_default';
  until timestamptz := day + interval '24 hours';
  misplaced integer;
BEGIN
  IF to_regclass(partition) IS NOT NULL THEN RETURN 'exists'; END IF;
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

-- Drops the partition of that day with all its rows; false when there is none. Locks as above.
CREATE FUNCTION "drop_day_partition"("parent" text, "day" timestamptz) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' SET timezone = 'UTC' AS $$
DECLARE
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
BEGIN
  IF to_regclass(partition) IS NULL THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END $$;

ALTER TABLE "telemetry_samples" RENAME TO "telemetry_samples_before";
CREATE TABLE "telemetry_samples" (LIKE "telemetry_samples_before" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
  PARTITION BY RANGE ("ts");
CREATE TABLE "telemetry_samples_default" PARTITION OF "telemetry_samples" DEFAULT;

ALTER TABLE "metric_samples" RENAME TO "metric_samples_before";
CREATE TABLE "metric_samples" (LIKE "metric_samples_before" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
  PARTITION BY RANGE ("ts");
CREATE TABLE "metric_samples_default" PARTITION OF "metric_samples" DEFAULT;

-- The days that hold rows, as far back as samples are kept, and the next three.
SELECT make_day_partition(parent, day, 0) FROM (
  SELECT 'telemetry_samples' AS parent, day FROM (SELECT DISTINCT date_trunc('day', ts, 'UTC') AS day FROM telemetry_samples_before) days
  UNION SELECT 'metric_samples', day FROM (SELECT DISTINCT date_trunc('day', ts, 'UTC') AS day FROM metric_samples_before) days
  UNION SELECT parent, date_trunc('day', now(), 'UTC') + n * interval '24 hours'
    FROM unnest(ARRAY['telemetry_samples', 'metric_samples']) parent, generate_series(0, 3) n
) wanted
WHERE day BETWEEN now() - interval '32 days' AND now() + interval '4 days' ORDER BY parent, day;

INSERT INTO "telemetry_samples" SELECT * FROM "telemetry_samples_before";
INSERT INTO "metric_samples" SELECT * FROM "metric_samples_before";
DROP TABLE "telemetry_samples_before";
DROP TABLE "metric_samples_before";

-- Only now: an index is built and keys are looked up faster for all rows at once.
ALTER TABLE "telemetry_samples" ADD CONSTRAINT "telemetry_samples_pkey" PRIMARY KEY ("server_id", "ts");
ALTER TABLE "telemetry_samples" ADD CONSTRAINT "telemetry_samples_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "metric_samples" ADD CONSTRAINT "metric_samples_pkey" PRIMARY KEY ("service_id", "ts", "node_id");
ALTER TABLE "metric_samples" ADD CONSTRAINT "metric_samples_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- As they were on the table that is gone.
CREATE TRIGGER "telemetry_samples_inserted" AFTER INSERT ON "telemetry_samples"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "mark_telemetry_hours_stale"();
CREATE TRIGGER "telemetry_samples_updated" AFTER UPDATE ON "telemetry_samples"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "mark_telemetry_hours_stale"();
CREATE TRIGGER "telemetry_samples_moved" AFTER UPDATE ON "telemetry_samples"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "mark_telemetry_hours_stale"();
