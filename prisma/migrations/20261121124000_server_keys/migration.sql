-- CreateTable
CREATE TABLE "server_keys" (
    "id" SERIAL NOT NULL,
    "server_id" INTEGER NOT NULL,
    "key_hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,

    CONSTRAINT "server_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "server_keys_key_hash_key" ON "server_keys"("key_hash");

-- CreateIndex
CREATE INDEX "server_keys_server_id_idx" ON "server_keys"("server_id");

-- AddForeignKey
ALTER TABLE "server_keys" ADD CONSTRAINT "server_keys_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Prisma has no syntax for the next two: a server has one current key, and a hash is one.
CREATE UNIQUE INDEX "server_keys_one_current" ON "server_keys"("server_id") WHERE "expires_at" IS NULL;
ALTER TABLE "server_keys" ADD CONSTRAINT "server_keys_key_hash_hex" CHECK ("key_hash" ~ '^[0-9a-f]{64}$');

-- AlterTable
ALTER TABLE "servers" ADD COLUMN "form_nonce" TEXT,
    ADD COLUMN "daemon" TEXT,
    ADD COLUMN "daemon_before" TEXT,
    ADD COLUMN "two_daemons_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "servers_account_id_form_nonce_key" ON "servers"("account_id", "form_nonce");

-- CreateIndex
CREATE INDEX "benchmark_runs_agent_token_hash_idx" ON "benchmark_runs"("agent_token_hash");
