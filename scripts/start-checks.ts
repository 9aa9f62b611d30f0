import { keepsUtc } from "@/lib/database/connection";
import { PlainError } from "@/lib/failures";
import { isUnverified } from "@/lib/process/database-tls";
import { parseEnv, VARIABLE_NAMES } from "@/lib/process/env-variables";
import { listWithdrawn } from "@/lib/process/withdrawn-variables";
import { requireMigrated } from "./require-migrated";

const NOT_UTC =
  "The connection to PostgreSQL does not keep its time zone: something between resets it. Set it where it lasts, as " +
  "\"alter role … set timezone = 'UTC'\" for the role that DATABASE_URL names.";
const UNVERIFIED =
  "The connection to PostgreSQL is encrypted, and nothing checks whose server it is: sslmode=verify-full with sslrootcert in DATABASE_URL does.";

// `npm run build` bundles this file for `server/start.mjs`, so that no TypeScript loader runs in production.

/** `refused` says why the console must not start. The others are for its log. */
type Outcome = { refused?: string; unreachable?: string; notes?: readonly string[] };

/** Checks the variables and the database of a console before its server is loaded. */
export async function checkStart(): Promise<Outcome> {
  try {
    const env = parseEnv(process.env);
    if (!env.databaseUrl) {
      const why = env.isEmbeddedNamed
        ? "The embedded database is for npm run demo and npm run dev"
        : "DATABASE_URL is not set";
      return { refused: `${why}. Name the PostgreSQL of the console in DATABASE_URL.` };
    }
    // Next would fill an absent variable from files that were not read here.
    for (const name of VARIABLE_NAMES) process.env[name] ??= "";
    process.env.PORT ||= String(env.port);
    const { unreachable, notes = [] } = await compareWithDatabase(env.databaseUrl);
    return { ...(unreachable && { unreachable }), notes: [...listWithdrawn(process.env), ...notes] };
  } catch (error) {
    if (error instanceof PlainError) return { refused: error.message };
    throw error;
  }
}

/** A console starts without a reachable database: `/readyz` answers 503 until there is one. */
async function compareWithDatabase(url: string): Promise<Outcome> {
  try {
    const note = await requireMigrated(url);
    if (!(await keepsUtc(url))) throw new PlainError(NOT_UTC);
    return { notes: [...(note === null ? [] : [note]), ...(isUnverified(url) ? [UNVERIFIED] : [])] };
  } catch (error) {
    if (error instanceof PlainError) throw error;
    return { unreachable: String(error) };
  }
}
