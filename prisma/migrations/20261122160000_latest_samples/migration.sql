-- The latest sample of each server, where the list of servers reads it without looking into any partition, and where it
-- outlives its partition. "latest_sample" holds the measurements by the names of their columns, whichever there are.
ALTER TABLE "servers" ADD COLUMN "latest_sample_at" TIMESTAMPTZ(3),
    ADD COLUMN "latest_sample" JSON;

UPDATE "servers" SET "latest_sample_at" = t.ts, "latest_sample" = (to_jsonb(t) - '{server_id,ts}'::text[])::json
  FROM "servers" s CROSS JOIN LATERAL (
    SELECT * FROM "telemetry_samples" WHERE server_id = s.id ORDER BY ts DESC LIMIT 1) t
  WHERE "servers"."id" = s.id;

-- Keeps it for samples that any writer inserts or changes, in any order. A check-in has written it already, in the same
-- statement: then no row is found here. Deleting samples changes nothing.
-- A loop, so that servers are looked up by their key and locked in the order of their ids, however many samples there are.
CREATE FUNCTION "keep_latest_samples"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  newest record;
BEGIN
  FOR newest IN SELECT DISTINCT ON (server_id) * FROM changed ORDER BY server_id, ts DESC LOOP
    UPDATE servers
      SET latest_sample_at = newest.ts, latest_sample = (to_jsonb(newest) - '{server_id,ts}'::text[])::json
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
