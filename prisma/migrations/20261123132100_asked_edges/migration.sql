-- AlterTable
ALTER TABLE "game_services" ADD COLUMN "offline_text" TEXT;

-- AlterTable
ALTER TABLE "metric_samples" ADD COLUMN "joins" BIGINT,
ADD COLUMN "pings" BIGINT,
ADD COLUMN "answered" BIGINT,
ADD COLUMN "players" BIGINT;

-- AlterTable
ALTER TABLE "edge_node_minutes" ADD COLUMN "refused" BIGINT NOT NULL DEFAULT 0;
