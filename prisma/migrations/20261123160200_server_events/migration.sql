-- CreateTable
CREATE TABLE "server_events" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "facts" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "server_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "server_events_order" CHECK ("ended_at" >= "started_at"),
    CONSTRAINT "server_events_small" CHECK (length("kind") <= 32 AND pg_column_size("facts") <= 2000)
);

-- CreateTable
CREATE TABLE "console_presence" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "looked_at" TIMESTAMPTZ(3),

    CONSTRAINT "console_presence_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "console_presence_one" CHECK ("id" = 1)
);

-- CreateTable
CREATE TABLE "blind_times" (
    "id" SERIAL NOT NULL,
    "cause" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "fallen" INTEGER NOT NULL DEFAULT 0,
    "settled" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "blind_times_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "blind_times_order" CHECK ("ended_at" >= "started_at")
);

-- CreateIndex
CREATE INDEX "server_events_ended_at_idx" ON "server_events"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "server_events_server_id_started_at_kind_key" ON "server_events"("server_id", "started_at", "kind");

-- CreateIndex
CREATE INDEX "blind_times_ended_at_idx" ON "blind_times"("ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "blind_times_started_at_cause_key" ON "blind_times"("started_at", "cause");

-- AddForeignKey
ALTER TABLE "server_events" ADD CONSTRAINT "server_events_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
