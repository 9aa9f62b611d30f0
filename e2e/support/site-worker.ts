import { inject } from "vitest";

// Tests make their rows in the database of the console. The product's client reads its URL when it is loaded.
process.env.DATABASE_URL = inject("siteDatabaseUrl");
