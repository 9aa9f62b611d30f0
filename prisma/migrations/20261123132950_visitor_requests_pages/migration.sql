-- How many requests an ip sent with a token, and when its owner said that they know its network.
ALTER TABLE "token_visitors" ADD COLUMN "requests" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "known_at" TIMESTAMPTZ(3);
