import { defineConfig } from "prisma/config";
import { announcedUrl } from "./server/embedded/owner-file";

// The `prisma` command does not read .env by itself.
try {
  process.loadEnvFile();
} catch {
  // No .env file: the variables come from the environment alone.
}

// `prisma generate` downloads an engine that it does not use, unless the variable names an existing file.
if (process.argv.includes("generate")) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

// Without DATABASE_URL: the embedded database that a running `npm run dev` or `npm run demo` serves.
const { DATABASE_URL = "embedded", DATA_DIR } = process.env;
const isNamed = DATABASE_URL !== "" && DATABASE_URL !== "embedded";
const url = isNamed ? DATABASE_URL : announcedUrl(DATA_DIR || ".data");

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(url ? { datasource: { url } } : {}),
});
