-- What an owner wants of a game service.
CREATE TYPE "service_wish" AS ENUM ('on', 'off', 'gone');

ALTER TABLE "game_services"
  ADD COLUMN "wish" "service_wish",
  ADD COLUMN "first_fetched_at" TIMESTAMPTZ(3),
  ADD COLUMN "form_nonce" TEXT;

CREATE UNIQUE INDEX "game_services_account_id_form_nonce_key" ON "game_services"("account_id", "form_nonce");
-- Which services share a public hostname, whatever its case.
CREATE INDEX "game_services_hostname_idx" ON "game_services"(lower("java_hostname"), "id");

CREATE TABLE "edge_nodes" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_heard_at" TIMESTAMPTZ(3),
    "last_heard_ip" TEXT,
    "agent" TEXT,
    "is_live" BOOLEAN NOT NULL DEFAULT false,
    "unsettled_since" TIMESTAMPTZ(3),

    CONSTRAINT "edge_nodes_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "edge_nodes_name_key" ON "edge_nodes"("name");

CREATE TABLE "edge_node_keys" (
    "id" SERIAL NOT NULL,
    "node_id" INTEGER NOT NULL,
    "key_hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "edge_node_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "edge_node_keys_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "edge_node_keys_key_hash_hex" CHECK ("key_hash" ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX "edge_node_keys_key_hash_key" ON "edge_node_keys"("key_hash");
CREATE INDEX "edge_node_keys_node_id_idx" ON "edge_node_keys"("node_id");

CREATE TABLE "edge_acknowledgements" (
    "service_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "error" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "edge_acknowledgements_pkey" PRIMARY KEY ("service_id", "node_id"),
    CONSTRAINT "edge_acknowledgements_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "edge_acknowledgements_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "edge_nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "edge_acknowledgements_version_range" CHECK ("version" >= -1)
);
CREATE INDEX "edge_acknowledgements_node_id_idx" ON "edge_acknowledgements"("node_id");

-- One service at most may claim a public hostname.
CREATE TABLE "hostname_claims" (
    "hostname" TEXT NOT NULL,
    "service_id" INTEGER NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "active_at" TIMESTAMPTZ(3),

    CONSTRAINT "hostname_claims_pkey" PRIMARY KEY ("hostname"),
    CONSTRAINT "hostname_claims_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "hostname_claims_lower_case" CHECK ("hostname" = lower("hostname"))
);
CREATE INDEX "hostname_claims_service_id_idx" ON "hostname_claims"("service_id");

-- Whom an owner shares a service with, by e-mail; the grant follows as soon as an account has the e-mail.
CREATE TABLE "service_shares" (
    "service_id" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "typed_email" TEXT NOT NULL,
    "account_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "service_shares_pkey" PRIMARY KEY ("service_id", "email"),
    CONSTRAINT "service_shares_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "game_services"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "service_shares_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "service_shares_lower_case" CHECK ("email" = lower("email") AND "email" <> '')
);
CREATE INDEX "service_shares_email_idx" ON "service_shares"("email");
CREATE INDEX "service_shares_account_id_idx" ON "service_shares"("account_id");

-- Grants what was shared with an e-mail before any account had it, whichever program writes the account. The lock makes
-- the account and a share that is written at the same moment wait for each other.
CREATE FUNCTION "grant_shared_services"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW."email", 0));
  IF EXISTS (SELECT FROM "service_shares" WHERE "email" = NEW."email" AND "account_id" IS NULL) THEN
    INSERT INTO "service_grants" ("service_id", "account_id")
      SELECT sh."service_id", NEW."id" FROM "service_shares" sh
      JOIN "game_services" s ON s."id" = sh."service_id" AND s."account_id" <> NEW."id"
      WHERE sh."email" = NEW."email" AND sh."account_id" IS NULL
      ON CONFLICT DO NOTHING;
    UPDATE "service_shares" SET "account_id" = NEW."id" WHERE "email" = NEW."email" AND "account_id" IS NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "accounts_grant_shared_services" AFTER INSERT OR UPDATE OF "email" ON "accounts"
  FOR EACH ROW EXECUTE FUNCTION "grant_shared_services"();
