import { PlainError } from "@/lib/failures";

// Stands in for the embedded database, which the package does not bring: it is for production.

export async function startEmbeddedDatabase(): Promise<never> {
  throw new PlainError("The package has no embedded database. Name your PostgreSQL in DATABASE_URL.");
}

export async function findRunningDatabase(): Promise<null> {
  return null;
}
