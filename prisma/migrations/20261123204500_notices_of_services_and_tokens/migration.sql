-- As of server_events: what happened before is told to nobody.
ALTER TABLE "token_events" ADD COLUMN "notice_due" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "token_events" ALTER COLUMN "notice_due" SET DEFAULT true;
CREATE INDEX "token_events_notice_due" ON "token_events"("token_id") WHERE "notice_due";

ALTER TABLE "service_events" ADD COLUMN "notice_due" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "service_events" ALTER COLUMN "notice_due" SET DEFAULT true;
CREATE INDEX "service_events_notice_due" ON "service_events"("service_id") WHERE "notice_due";
