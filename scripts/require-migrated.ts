import { PlainError } from "@/lib/failures";
import { calledAlone, calledAs } from "./called-as";
import { compareMigrations, type Difference } from "./migrations";

/**
 * Answers a sentence for the log when a newer version has brought the database further, which is right: while instances
 * are replaced one by one, old ones may have to start again. @throws PlainError when the database lacks a migration: the
 * app would fail at its first query.
 */
export async function requireMigrated(url: string, folder?: string): Promise<string | null> {
  const difference = await compareMigrations(url, folder);
  const problem = problemOf(difference);
  if (problem) throw new PlainError(`The database is not up to date; run "${MIGRATE}": ${problem}.`);
  const newest = difference.newer.at(-1);
  if (!newest) return null;
  return `The database is ahead of this version, up to ${newest}, and this version serves from it; "${calledAs("migrate")} --status" of the newer version says more.`;
}

const MIGRATE = calledAlone("migrate");

/** Why the app cannot use a database. Null: it can. */
export function problemOf({ missing, changed, failed }: Difference): string | null {
  const [first] = [...failed, ...changed];
  if (first) return `${first} ${failed.length > 0 ? "has failed" : "stands in it with another text"}`;
  return missing.length === 0 ? null : `it lacks ${missing.length}, from ${missing[0]} on`;
}
