-- What happened before is told to nobody; whatever any writer adds from now on is considered.
ALTER TABLE "server_events" ADD COLUMN "notice_due" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "server_events" ALTER COLUMN "notice_due" SET DEFAULT true;
CREATE INDEX "server_events_notice_due" ON "server_events"("server_id") WHERE "notice_due";

-- CreateTable
CREATE TABLE "notice_channels" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealed" TEXT,
    "host" TEXT,
    "email" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    "confirm_hash" TEXT,
    "confirm_sent_at" TIMESTAMPTZ(3),
    "unsubscribe_hash" TEXT,
    "off_at" TIMESTAMPTZ(3),
    "off_reason" TEXT,
    "failing_since" TIMESTAMPTZ(3),
    "form_nonce" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notice_channels_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_channels_kind" CHECK ("kind" IN ('mail', 'webhook', 'discord')),
    CONSTRAINT "notice_channels_small" CHECK (length("name") <= 200 AND length("sealed") <= 16000 AND length("host") <= 300 AND length("email") <= 320 AND length("off_reason") <= 500)
);

-- CreateTable
CREATE TABLE "notice_settings" (
    "account_id" INTEGER NOT NULL,
    "rules" JSONB NOT NULL DEFAULT '{}',
    "quiet_from" SMALLINT,
    "quiet_to" SMALLINT,
    "quiet_zone" TEXT,

    CONSTRAINT "notice_settings_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "notice_settings_quiet" CHECK ("quiet_from" BETWEEN 0 AND 1439 AND "quiet_to" BETWEEN 0 AND 1439),
    CONSTRAINT "notice_settings_small" CHECK (pg_column_size("rules") <= 4000 AND length("quiet_zone") <= 64)
);

-- CreateTable
CREATE TABLE "notice_incidents" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "told_at" TIMESTAMPTZ(3),
    "told_in" UUID,
    "is_flapping" BOOLEAN NOT NULL DEFAULT false,
    "look_at" TIMESTAMPTZ(3),

    CONSTRAINT "notice_incidents_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_incidents_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "notice_incidents_small" CHECK (length("subject") <= 16 AND length("kind") <= 32 AND pg_column_size("facts") <= 2000)
);

-- CreateTable
CREATE TABLE "notices" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "account_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "thread" UUID NOT NULL,
    "incidents" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "facts" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notices_small" CHECK (length("kind") <= 16 AND pg_column_size("facts") <= 2000)
);

-- CreateTable
CREATE TABLE "notice_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "notice_id" UUID NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "account_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'due',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "content" JSON,
    "ended_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "notice_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "notice_deliveries_state" CHECK ("state" IN ('due', 'delivered', 'undelivered', 'dropped')),
    CONSTRAINT "notice_deliveries_small" CHECK (length("reason") <= 500)
);

-- CreateTable
CREATE TABLE "server_snoozes" (
    "server_id" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_snoozes_pkey" PRIMARY KEY ("server_id")
);

-- CreateTable
CREATE TABLE "notice_confirmations" (
    "id" SERIAL NOT NULL,
    "account_id" INTEGER NOT NULL,
    "email_hash" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notice_confirmations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "notice_channels_unsubscribe_hash_key" ON "notice_channels"("unsubscribe_hash");

-- CreateIndex
CREATE UNIQUE INDEX "notice_channels_account_id_form_nonce_key" ON "notice_channels"("account_id", "form_nonce");

-- CreateIndex
CREATE INDEX "notice_incidents_subject_subject_id_started_at_idx" ON "notice_incidents"("subject", "subject_id", "started_at");

-- CreateIndex
CREATE INDEX "notice_incidents_look_at_idx" ON "notice_incidents"("look_at");

-- CreateIndex
CREATE INDEX "notice_incidents_account_id_told_at_idx" ON "notice_incidents"("account_id", "told_at");

-- CreateIndex
CREATE UNIQUE INDEX "notice_incidents_account_id_subject_subject_id_kind_started_key" ON "notice_incidents"("account_id", "subject", "subject_id", "kind", "started_at");

-- What is still to be told of.
CREATE INDEX "notice_incidents_open" ON "notice_incidents"("account_id", "look_at") WHERE "look_at" IS NOT NULL;

-- The outbox, without what has come to its end.
CREATE INDEX "notice_deliveries_due" ON "notice_deliveries"("attempt_at") WHERE "state" = 'due';

-- CreateIndex
CREATE INDEX "notices_account_id_created_at_idx" ON "notices"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "notices_created_at_idx" ON "notices"("created_at");

-- CreateIndex
CREATE INDEX "notice_deliveries_channel_id_due_at_idx" ON "notice_deliveries"("channel_id", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "notice_deliveries_notice_id_channel_id_key" ON "notice_deliveries"("notice_id", "channel_id");

-- CreateIndex
CREATE INDEX "notice_confirmations_email_hash_sent_at_idx" ON "notice_confirmations"("email_hash", "sent_at");

-- CreateIndex
CREATE INDEX "notice_confirmations_account_id_sent_at_idx" ON "notice_confirmations"("account_id", "sent_at");

-- CreateIndex
CREATE INDEX "notice_confirmations_sent_at_idx" ON "notice_confirmations"("sent_at");

-- AddForeignKey
ALTER TABLE "notice_channels" ADD CONSTRAINT "notice_channels_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice_settings" ADD CONSTRAINT "notice_settings_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice_incidents" ADD CONSTRAINT "notice_incidents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notices" ADD CONSTRAINT "notices_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice_deliveries" ADD CONSTRAINT "notice_deliveries_notice_id_fkey" FOREIGN KEY ("notice_id") REFERENCES "notices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice_deliveries" ADD CONSTRAINT "notice_deliveries_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "notice_channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "server_snoozes" ADD CONSTRAINT "server_snoozes_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice_confirmations" ADD CONSTRAINT "notice_confirmations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
