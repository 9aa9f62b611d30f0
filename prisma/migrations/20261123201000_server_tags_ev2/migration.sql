-- AlterTable
ALTER TABLE "servers" ADD COLUMN "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Not validated, so that no row is read under the lock: the default obeys it.
ALTER TABLE "servers" ADD CONSTRAINT "servers_tags_few"
  CHECK (cardinality("tags") <= 10 AND length(array_to_string("tags", '')) <= 320) NOT VALID;
