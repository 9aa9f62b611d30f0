-- CreateTable
CREATE TABLE "telemetry_hours" (
    "server_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "samples" INTEGER NOT NULL,
    "bands" JSONB NOT NULL DEFAULT '{}',
    "stale" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "telemetry_hours_pkey" PRIMARY KEY ("server_id","hour")
);

-- AddForeignKey
ALTER TABLE "telemetry_hours" ADD CONSTRAINT "telemetry_hours_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "telemetry_hours"
  ADD CONSTRAINT "telemetry_hours_samples_range" CHECK ("samples" >= 0),
  ADD CONSTRAINT "telemetry_hours_bands_object" CHECK (jsonb_typeof("bands") = 'object');

-- Whoever writes a sample of an hour that is over, through whatever program, makes the sums of that hour stale, and those
-- of the 23 hours after it, whose scores look back on it. Samples of the current hour, nearly all there are, cost one
-- comparison. Deleting samples makes nothing stale: the sums are there to outlive their samples.
-- The lock waits for whoever is summing up this server just now, and sees what came of it.
CREATE FUNCTION "mark_telemetry_hours_stale"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM changed WHERE ts < date_trunc('hour', clock_timestamp(), 'UTC')) THEN
    PERFORM FROM servers WHERE id IN (SELECT server_id FROM changed) ORDER BY id FOR KEY SHARE;
    UPDATE telemetry_hours h SET stale = true
      FROM (SELECT server_id, min(ts) AS first, max(ts) AS last FROM changed GROUP BY server_id) c
      WHERE h.server_id = c.server_id AND NOT h.stale
        AND h.hour BETWEEN date_trunc('hour', c.first, 'UTC') AND c.last + interval '23 hours';
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
