import { fileURLToPath } from "node:url";
import { defineConfig } from "prisma/config";
import { announcedUrl } from "./server/embedded/owner-file";

// The `prisma` command does not read .env by itself.
try {
  process.loadEnvFile();
} catch {
  // No .env file: the variables come from the environment alone.
}

// Prisma's own schema engine as WebAssembly, so that no command downloads a binary. `??=`: a native engine can still be named.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(new URL("./prisma/schema-engine.mjs", import.meta.url));

// Without DATABASE_URL: the embedded database that a running `npm run dev` or `npm run demo` serves.
const { DATABASE_URL = "embedded", DATA_DIR } = process.env;
const isNamed = DATABASE_URL !== "" && DATABASE_URL !== "embedded";
const url = isNamed ? DATABASE_URL : announcedUrl(DATA_DIR || ".data");

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(url ? { datasource: { url } } : {}),
});
