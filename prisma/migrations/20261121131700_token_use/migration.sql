-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "authenticated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE "sessions" SET "authenticated_at" = "created_at";

-- AlterTable
ALTER TABLE "access_tokens" ADD COLUMN "replaced_by_id" INTEGER,
    ADD COLUMN "ends_on_first_use" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "access_tokens_replaced_by_id_idx" ON "access_tokens"("replaced_by_id");

-- AddForeignKey
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_replaced_by_id_fkey" FOREIGN KEY ("replaced_by_id") REFERENCES "access_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "token_use_hours" (
    "token_id" INTEGER NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "limited" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "peak" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "token_use_hours_pkey" PRIMARY KEY ("token_id","hour")
);

-- CreateTable
CREATE TABLE "token_visitors" (
    "token_id" INTEGER NOT NULL,
    "ip" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "agent" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_visitors_pkey" PRIMARY KEY ("token_id","ip")
);

-- AddForeignKey
ALTER TABLE "token_use_hours" ADD CONSTRAINT "token_use_hours_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "token_visitors" ADD CONSTRAINT "token_visitors_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "access_tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;
