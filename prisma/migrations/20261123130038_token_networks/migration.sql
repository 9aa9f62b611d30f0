-- AlterTable
ALTER TABLE "access_tokens" ADD COLUMN "networks" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Not validated, so that no row is read under the lock: the default obeys it.
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_networks_range"
  CHECK (cardinality("networks") <= 20 AND "networks"::cidr[] IS NOT NULL) NOT VALID;
