import pg from "pg";
import { log } from "@/lib/process/log.mjs";
import { BoundedClient, connectionConfig, speakUtc } from "./connection";
import { StatementNames } from "./statement-names";

/** "No such prepared statement" and "already exists". A pooler that shares connections causes these errors. */
const NAME_ERRORS = new Set(["26000", "42P05"]);
/** PostgreSQL's code when a migration changed the result of a prepared statement. Other errors share this code. */
const STALE_PLAN = "0A000";

/** The text of a statement, or a full query configuration of `pg`. */
type Query = string | (pg.QueryConfig & { rowMode?: "array" });

/**
 * The connection pool of this process. It prepares statements outside transactions once per connection, under a hash of
 * their text. Such names fail behind a pooler that shares connections between transactions. The first failure turns names
 * off and repeats the statement without one. `pgbouncer=true` in the URL turns names off from the start, as in Prisma.
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
      // The name is looked up after connecting, because another query may have turned names off in the meantime.
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
      // Repeating is safe: the statement failed before it ran.
      return client.query(query);
    }
  }
}
