-- AlterTable
ALTER TABLE "servers" ADD COLUMN "first_seen_at" TIMESTAMPTZ(3);
