import pg from "pg";
import { log } from "@/lib/process/log";
import { BoundedClient, connectionConfig, speakUtc } from "./connection";
import { StatementNames } from "./statement-names";

/** "No such prepared statement" and "already exists": errors of a pooler that shares connections. */
const NAME_ERRORS = new Set(["26000", "42P05"]);
/** Among others: a migration changed the result of a prepared statement. */
const STALE_PLAN = "0A000";

/** A text, or everything that `pg` knows of a statement. */
type Query = string | (pg.QueryConfig & { rowMode?: "array" });

/**
 * The connections of this process. Statements outside transactions are prepared once per connection, under a name that
 * is a hash of their text. Where names do not work (a pooler that shares connections between transactions), they are
 * given up at the first sign of it, and the statement is repeated without one. `pgbouncer=true` in the URL, which
 * Prisma knows too, says so from the start.
 */
export class ConsolePool extends pg.Pool {
  readonly #names: StatementNames;

  constructor(connectionString: string, size: number) {
    super({
      ...connectionConfig(connectionString),
      max: size,
      Client: BoundedClient as new () => pg.ClientBase,
      onConnect: speakUtc,
    });
    // An idle connection may end, for example when PostgreSQL restarts. That is no error.
    this.on("error", () => {});
    this.#names = new StatementNames(new URL(connectionString).searchParams.get("pgbouncer") !== "true");
    this.query = ((query: Query) => this.#run(typeof query === "string" ? { text: query } : query)) as this["query"];
  }

  async #run(query: Exclude<Query, string>): Promise<pg.QueryResult> {
    const client = await this.connect();
    try {
      // Looked up after connecting: meanwhile another query may have turned names off.
      const result = await this.#send(client, query, this.#names.find(query.text));
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  async #send(client: pg.PoolClient, query: pg.QueryConfig, name: string | undefined): Promise<pg.QueryResult> {
    if (!name) return client.query(query);
    try {
      return await client.query({ ...query, name });
    } catch (error) {
      const { code = "" } = error as { code?: string };
      if (!NAME_ERRORS.has(code) && code !== STALE_PLAN) throw error;
      if (NAME_ERRORS.has(code) && this.#names.turnOff()) {
        log("info", "prepared statements are off", { reason: `a pooler does not keep them (${code})` });
      }
      // Nothing was done: the statement failed before it ran.
      return client.query(query);
    }
  }
}
