-- AlterTable
ALTER TABLE "edge_acknowledgements" ADD COLUMN     "serving_version" INTEGER,
ADD COLUMN     "warning" TEXT;
