-- CreateTable
CREATE TABLE "shared_service_events" (
    "account_id" INTEGER NOT NULL,
    "event_id" INTEGER NOT NULL,

    CONSTRAINT "shared_service_events_pkey" PRIMARY KEY ("account_id", "event_id")
);

-- CreateIndex
CREATE INDEX "shared_service_events_event_id_idx" ON "shared_service_events"("event_id");

-- AddForeignKey
ALTER TABLE "shared_service_events" ADD CONSTRAINT "shared_service_events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "notice_settings"("account_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "shared_service_events" ADD CONSTRAINT "shared_service_events_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "service_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;
