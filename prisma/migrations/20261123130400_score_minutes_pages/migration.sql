-- A score has a value at each full minute. It depends on the cores of then, and on whether a sample arrived late.
ALTER TABLE "telemetry_samples" ADD COLUMN "cores" DOUBLE PRECISION, ADD COLUMN "arrived_at" TIMESTAMPTZ(3);

-- Hours of before have no rule: those whose samples are stored are summed up again when they are next read.
ALTER TABLE "telemetry_hours" ADD COLUMN "rule" SMALLINT, ADD COLUMN "late" INTEGER NOT NULL DEFAULT 0;

-- As before, and further: while a server is silent its score follows from the last sample, so one that is written later
-- makes every hour stale up to the next sample. A version that knows no rule may sum such an hour up: the rule goes.
CREATE OR REPLACE FUNCTION "mark_telemetry_hours_stale"() RETURNS trigger LANGUAGE plpgsql AS $$
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
