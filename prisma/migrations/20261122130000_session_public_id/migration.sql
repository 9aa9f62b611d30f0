-- Names a session in forms, so that the hash that finds it never leaves the server.
ALTER TABLE "sessions" ADD COLUMN "public_id" UUID NOT NULL DEFAULT gen_random_uuid();

CREATE UNIQUE INDEX "sessions_public_id_key" ON "sessions"("public_id");
