-- AlterTable
ALTER TABLE "game_services" ADD COLUMN "sends_real_ips" BOOLEAN NOT NULL DEFAULT false;
