-- How long the score, the disk and the clock of a server have been what they are; see lib/servers/events/conditions.ts.
ALTER TABLE "servers" ADD COLUMN "conditions" JSONB,
    ADD COLUMN "unrated_since" TIMESTAMPTZ(3);

-- As before, and besides: says since when another program has written samples. A check-in of our own rates its sample itself, and
-- writes the latest sample itself, so that no row is found here.
CREATE OR REPLACE FUNCTION "keep_latest_samples"() RETURNS trigger LANGUAGE plpgsql AS $$
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
