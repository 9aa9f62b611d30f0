-- CreateTable
CREATE TABLE "maintenance_times" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "maintenance_times_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "maintenance_times_order" CHECK ("ended_at" >= "started_at")
);

-- CreateTable
CREATE TABLE "uptime_sums" (
    "server_id" INTEGER NOT NULL,
    "unit" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "zone" TEXT NOT NULL,
    "recorded_ms" BIGINT NOT NULL,
    "offline_ms" BIGINT NOT NULL,
    "unreachable_ms" BIGINT NOT NULL,
    "unknown_ms" BIGINT NOT NULL,
    "maintenance_ms" BIGINT NOT NULL,
    "outages" INTEGER NOT NULL,
    "carried" INTEGER NOT NULL,

    CONSTRAINT "uptime_sums_pkey" PRIMARY KEY ("server_id", "unit", "started_at"),
    CONSTRAINT "uptime_sums_unit" CHECK ("unit" IN ('day', 'month'))
);

-- CreateIndex
CREATE INDEX "maintenance_times_server_id_started_at_idx" ON "maintenance_times"("server_id", "started_at");

-- AddForeignKey
ALTER TABLE "maintenance_times" ADD CONSTRAINT "maintenance_times_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uptime_sums" ADD CONSTRAINT "uptime_sums_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
