-- Events lie in one table. Notices are rows: one for each channel, event and end of it. Channels and settings stay. What was told and goes on is known to
-- have been told, so its end is; what was not told yet is considered anew; of messages that wait, each channel is told the number.

-- The table of events takes those of game services and tokens. Statuses are events by the statement that writes them.
DROP TRIGGER "game_services_status_inserted" ON "game_services";
DROP TRIGGER "game_services_status_updated" ON "game_services";
DROP FUNCTION "note_service_status";
INSERT INTO "events" ("subject", "subject_id", "account_id", "kind", "started_at", "ended_at", "facts", "notice_due")
  SELECT 'service', e."service_id", s."account_id", e."kind", e."started_at", e."ended_at", e."facts", e."notice_due"
  FROM "service_events" e JOIN "game_services" s ON s."id" = e."service_id" ORDER BY e."id";
INSERT INTO "events" ("subject", "subject_id", "account_id", "kind", "started_at", "ended_at", "facts", "notice_due")
  SELECT 'token', e."token_id", t."account_id", e."kind", e."started_at", e."ended_at", e."facts", e."notice_due"
  FROM "token_events" e JOIN "access_tokens" t ON t."id" = e."token_id" ORDER BY e."id";
CREATE INDEX "events_subject_id_ended_at_idx" ON "events"("subject_id", "ended_at");
ALTER TABLE "events" ADD COLUMN "notice_end_due" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "notice_channels"
  ADD COLUMN "claim" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "leased_until" TIMESTAMPTZ(3),
  ADD COLUMN "held_until" TIMESTAMPTZ(3),
  ADD COLUMN "held_for" TEXT,
  ADD CONSTRAINT "notice_channels_held" CHECK ("held_for" IN ('quiet', 'limit', 'receiver'));

ALTER TABLE "notices" RENAME TO "earlier_notices";
ALTER TABLE "earlier_notices" RENAME CONSTRAINT "notices_pkey" TO "earlier_notices_pkey";

CREATE TABLE "notice_messages" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "channel_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "content" JSON NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'due',
    "attempts" SMALLINT NOT NULL DEFAULT 1,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "notice_messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_messages_state" CHECK ("state" IN ('due', 'delivered', 'failed', 'dropped')),
    CONSTRAINT "notice_messages_small" CHECK (length("reason") <= 500)
);
CREATE TABLE "notices" (
    "id" SERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "event_id" INTEGER NOT NULL,
    "tells" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL DEFAULT 'due',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "waits_for" TEXT,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "message_id" UUID,
    "settled_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notices_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "notices_state" CHECK ("state" IN ('due', 'told', 'failed', 'dropped')),
    CONSTRAINT "notices_tells" CHECK ("tells" IN ('begin', 'end')),
    CONSTRAINT "notices_waits" CHECK ("waits_for" IN ('snooze', 'maintenance', 'often')),
    CONSTRAINT "notices_small" CHECK (length("subject") <= 16 AND length("kind") <= 32 AND length("name") <= 300 AND length("reason") <= 500)
);
CREATE INDEX "notice_messages_channel_id_created_at_idx" ON "notice_messages"("channel_id", "created_at");
CREATE INDEX "notice_messages_created_at_idx" ON "notice_messages"("created_at");
CREATE INDEX "notices_channel_id_state_settled_at_idx" ON "notices"("channel_id", "state", "settled_at");
CREATE INDEX "notices_message_id_idx" ON "notices"("message_id");
CREATE INDEX "notices_due_at_idx" ON "notices"("due_at");
CREATE UNIQUE INDEX "notices_subject_id_event_id_subject_tells_channel_id_key" ON "notices"("subject_id", "event_id", "subject", "tells", "channel_id");
ALTER TABLE "notice_messages" ADD CONSTRAINT "notice_messages_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notice_messages" ADD CONSTRAINT "notice_messages_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "notice_channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notices" ADD CONSTRAINT "notices_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notices" ADD CONSTRAINT "notices_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "notice_channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notices" ADD CONSTRAINT "notices_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "notice_messages"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Each index holds only what is still to be done.
CREATE INDEX "notices_waiting" ON "notices"("next_at") WHERE "state" = 'due' AND "message_id" IS NULL;
CREATE INDEX "notice_messages_due" ON "notice_messages"("next_at") WHERE "state" = 'due';
CREATE INDEX "events_notice_end_due" ON "events"("ended_at") WHERE "notice_end_due";

CREATE TEMPORARY TABLE "told" ON COMMIT DROP AS
  SELECT i."account_id", i."told_at", i."told_in", e."subject", e."subject_id", e."id" AS "event_id", e."kind", e."started_at",
    coalesce(left(coalesce(s."label", g."name"), 200), '') AS "name"
  FROM "notice_incidents" i
  JOIN "events" e ON e."subject_id" = i."subject_id" AND e."subject" = i."subject" AND e."kind" = i."kind" AND e."started_at" = i."started_at"
  LEFT JOIN "servers" s ON e."subject" = 'server' AND s."id" = e."subject_id"
  LEFT JOIN "game_services" g ON e."subject" = 'service' AND g."id" = e."subject_id"
  WHERE i."look_at" IS NOT NULL AND i."ended_at" IS NULL AND i."subject" <> 'token';
INSERT INTO "notices" ("channel_id", "account_id", "subject", "subject_id", "event_id", "tells", "kind", "name", "started_at", "state", "due_at", "next_at", "settled_at")
  SELECT d."channel_id", t."account_id", t."subject", t."subject_id", t."event_id", 'begin', t."kind", t."name", t."started_at", 'told', d."due_at", d."due_at", d."ended_at"
  FROM "told" t JOIN "notice_deliveries" d ON d."notice_id" = t."told_in" AND d."state" = 'delivered' AND d."account_id" = t."account_id";
UPDATE "events" e SET "notice_end_due" = true, "notice_due" = false FROM "notices" n
  WHERE e."subject_id" = n."subject_id" AND e."id" = n."event_id";
UPDATE "events" e SET "notice_due" = true FROM "told" t
  WHERE t."told_at" IS NULL AND e."subject_id" = t."subject_id" AND e."id" = t."event_id";
INSERT INTO "notices" ("channel_id", "account_id", "subject", "subject_id", "event_id", "tells", "kind", "name", "started_at", "ended_at", "due_at", "next_at")
  SELECT d."channel_id", d."account_id", 'channel', d."channel_id", 0, 'begin', 'unsent', count(*)::text, now(), now(), now(), now()
  FROM "notice_deliveries" d JOIN "earlier_notices" n ON n."id" = d."notice_id"
  WHERE d."state" = 'due' AND n."kind" <> 'test' GROUP BY d."channel_id", d."account_id";

DROP TABLE "notice_deliveries", "earlier_notices", "notice_incidents", "shared_service_events", "service_events", "token_events";

-- One that had no end had one with what it was for.
UPDATE "server_snoozes" SET "until" = now() + interval '8 hours' WHERE "until" IS NULL;
ALTER TABLE "server_snoozes" ALTER COLUMN "until" SET NOT NULL;
