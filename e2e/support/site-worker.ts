import { inject } from "vitest";

// Tests make their rows in the database of the console. The product's client reads its URL when it is loaded.
process.env.DATABASE_URL = inject("siteDatabaseUrl");
// As the console has it, for tests that ask the handlers as well.
process.env.TRUSTED_PROXIES = "1";
