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
/** Runs one statement of a transaction. */
type Send = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

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

  /**
   * Runs `work` in a transaction on one connection; `work` must not ask the pool. If a pooler lost a statement, or a plan is
   * stale, the whole is undone and repeated without names.
   */
  async transaction<Result>(work: (send: Send) => Promise<Result>): Promise<Result> {
    try {
      return await this.#transact(work, (text) => this.#names.find(text));
    } catch (error) {
      if (!this.#isOfNames(error)) throw error;
      return this.#transact(work, () => undefined);
    }
  }

  async #transact<Result>(
    work: (send: Send) => Promise<Result>,
    nameOf: (text: string) => string | undefined,
  ): Promise<Result> {
    const client = await this.connect();
    try {
      await client.query("begin");
      const result = await work((query) => {
        const name = nameOf(query.text);
        return client.query(name ? { ...query, name } : query);
      });
      await client.query("commit");
      client.release();
      return result;
    } catch (error) {
      // A connection that cannot even be rolled back is not used again.
      const isUsable = await client.query("rollback").then(
        () => true,
        () => false,
      );
      client.release(isUsable ? undefined : (error as Error));
      throw error;
    }
  }

  /** Whether a statement failed because of its name alone. It turns names off where a pooler does not keep them. */
  #isOfNames(error: unknown): boolean {
    const { code = "" } = error as { code?: string };
    if (NAME_ERRORS.has(code) && this.#names.turnOff()) {
      log("info", "prepared statements are off", { reason: `a pooler does not keep them (${code})` });
    }
    return NAME_ERRORS.has(code) || code === STALE_PLAN;
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
      if (!this.#isOfNames(error)) throw error;
      // Repeating is safe: the statement failed before it ran.
      return client.query(query);
    }
  }
}
