-- AlterTable
ALTER TABLE "hostname_claims" ADD COLUMN     "account_id" INTEGER,
ADD COLUMN     "released_at" TIMESTAMPTZ(3),
ALTER COLUMN "service_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "hostname_claims_account_id_released_at_idx" ON "hostname_claims"("account_id", "released_at");

-- AddForeignKey
ALTER TABLE "hostname_claims" ADD CONSTRAINT "hostname_claims_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
