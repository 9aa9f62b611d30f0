-- CreateTable
CREATE TABLE "edge_node_minutes" (
    "node_id" INTEGER NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "packets" BIGINT NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "dropped" BIGINT NOT NULL DEFAULT 0,
    "connections" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "edge_node_minutes_pkey" PRIMARY KEY ("node_id","ts")
);

-- AddForeignKey
ALTER TABLE "edge_node_minutes" ADD CONSTRAINT "edge_node_minutes_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
