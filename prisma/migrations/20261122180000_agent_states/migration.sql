-- CreateTable
CREATE TABLE "agent_states" (
    "key_id" INTEGER NOT NULL,
    "door" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "instants" JSON NOT NULL,

    CONSTRAINT "agent_states_pkey" PRIMARY KEY ("key_id","door")
);

-- AddForeignKey
ALTER TABLE "agent_states" ADD CONSTRAINT "agent_states_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "server_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
