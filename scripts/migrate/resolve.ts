import { PlainError } from "@/lib/failures";
import { compareMigrations, listMigrations, type Migration } from "../migrations";
import { IS_THERE } from "./apply";
import { ONLINE_WAYS } from "./online-ways";
import { recordApplied, recordRolledBack } from "./records";
import { MigrationSession, type SessionOptions } from "./session";
import { splitStatements } from "./statements";

/** PostgreSQL's codes for a column, table, function or other object that is not there. */
const IS_NOT_THERE = new Set(["42703", "42P01", "42883", "42704"]);

/**
 * Settles migrations that failed in the middle: each is recorded as applied when all that it makes is there, and as rolled
 * back when nothing of it is. Answers a sentence for each. @throws PlainError for one of which a part is there
 */
export async function resolveMigrations(url: string, options: SessionOptions): Promise<string[]> {
  const { failed } = await compareMigrations(url);
  const session = await MigrationSession.open(url, options);
  try {
    const sentences: string[] = [];
    for (const migration of listMigrations()) {
      if (failed.includes(migration.name)) sentences.push(await resolveOne(session, migration));
    }
    return sentences.length > 0 ? sentences : ["No migration of this version has failed."];
  } finally {
    await session.close();
  }
}

async function resolveOne(session: MigrationSession, migration: Migration): Promise<string> {
  const { name } = migration;
  let sentence = "";
  await session.quick(name, async () => {
    // Its steps say themselves how far they are.
    const { there, absent } = ONLINE_WAYS[name] ? { there: [], absent: [] } : await findMade(session, migration);
    if (there.length === 0) {
      sentence = `${name} is recorded as rolled back: migrate again.`;
      return recordRolledBack(name);
    }
    if (absent.length > 0) {
      throw new PlainError(
        `${name} is there in part. These statements are still to be run by hand, then --resolve again:\n${absent.map((statement) => `${statement};`).join("\n")}`,
      );
    }
    sentence = `${name} is recorded as applied: all that it makes is there.`;
    return recordApplied(migration);
  });
  return sentence;
}

/** Tries each statement that makes something, and takes it back. */
async function findMade({ client }: MigrationSession, { sql }: Migration) {
  const there: string[] = [];
  const absent: string[] = [];
  for (const statement of splitStatements(sql)) {
    if (!/^create (?!or replace)|^alter table [^;]* add (?:column|constraint)/i.test(statement)) continue;
    await client.query("savepoint before");
    const code = await client.query(statement).then(
      () => "42P01",
      (error: { code?: string }) => error.code ?? "",
    );
    await client.query("rollback to savepoint before");
    if (IS_THERE.has(code)) there.push(statement);
    else if (IS_NOT_THERE.has(code)) absent.push(statement);
    else throw new PlainError(`PostgreSQL refuses a statement for another reason (${code}):\n${statement}`);
  }
  return { there, absent };
}
