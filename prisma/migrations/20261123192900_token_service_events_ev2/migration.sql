-- CreateTable
CREATE TABLE "token_events" (
    "id" SERIAL NOT NULL,
    "token_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "token_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "token_events_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "token_events_small" CHECK (length("kind") <= 32 AND pg_column_size("facts") <= 2000)
);

-- CreateTable
CREATE TABLE "service_events" (
    "id" SERIAL NOT NULL,
    "service_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "service_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "service_events_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "service_events_small" CHECK (length("kind") <= 32 AND pg_column_size("facts") <= 2000)
);

-- CreateIndex
CREATE INDEX "token_events_ended_at_idx" ON "token_events"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "token_events_token_id_started_at_kind_key" ON "token_events"("token_id", "started_at", "kind");

-- CreateIndex
CREATE INDEX "service_events_ended_at_idx" ON "service_events"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "service_events_service_id_started_at_kind_key" ON "service_events"("service_id", "started_at", "kind");

-- AddForeignKey
ALTER TABLE "token_events" ADD CONSTRAINT "token_events_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_events" ADD CONSTRAINT "service_events_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE;
