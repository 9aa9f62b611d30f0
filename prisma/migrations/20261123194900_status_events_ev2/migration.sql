-- CreateIndex
CREATE INDEX "access_tokens_expires_at_idx" ON "access_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "service_events_service_id_ended_at_idx" ON "service_events"("service_id", "ended_at");

-- Each status of a game service, with its error, is an event, whoever writes the status.
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
