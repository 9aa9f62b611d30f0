-- What is sent for a server and cannot be used: why, and since when.
ALTER TABLE "servers" ADD COLUMN "refusal" TEXT, ADD COLUMN "refused_since" TIMESTAMPTZ(3);
