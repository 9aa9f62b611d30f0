import type { PGlite } from "@electric-sql/pglite";
import { cString, message, readyState } from "./wire";

const SYNC = message("S");
const RESET = "reset session authorization; reset all; select pg_advisory_unlock_all()";

/** PGlite has crashed or stopped answering. It cannot be restarted, so every client is disconnected. */
export class DatabaseFailure extends Error {
  override name = "DatabaseFailure";
}

/**
 * Shares PGlite's only session. Clients use it one at a time, first come first served. As behind a pooler in transaction
 * mode, what one of them sets or locks holds until it is out of its transaction.
 */
export class Session {
  readonly #waiting: (() => void)[] = [];
  #holder: object | null = null;

  constructor(readonly db: PGlite) {}

  isHeldBy(client: object): boolean {
    return this.#holder === client;
  }

  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits for the session. The caller holds it until `leave`. */
  async enter(client: object): Promise<void> {
    if (this.#holder !== null && this.#holder !== client) {
      await new Promise<void>((proceed) => this.#waiting.push(proceed));
    }
    this.#holder = client;
  }

  leave(): void {
    const next = this.#waiting.shift();
    // Nobody may come in between.
    this.#holder = next ?? null;
    next?.();
  }

  /**
   * Has PostgreSQL answer messages of the client that holds the session. Releases the session unless a transaction is open.
   * `isWhole`: whether the answer ends with ReadyForQuery. @throws DatabaseFailure
   */
  async exchange(bytes: Buffer, isWhole: boolean): Promise<Uint8Array> {
    const answer = await this.#send(bytes, isWhole);
    if (readyState(answer) !== "I") return answer;
    await this.#send(query(RESET));
    this.leave();
    return answer;
  }

  /**
   * Cleans up after a client that left: its transaction, and every named statement if it has made one. Else the next client
   * could not use the name. @throws DatabaseFailure
   */
  async forget(client: object, hasNames: boolean): Promise<void> {
    if (!this.isHeldBy(client) && !hasNames) return;
    await this.enter(client);
    await this.#send(Buffer.concat([SYNC, query(`rollback; ${RESET}`), query(hasNames ? "deallocate all" : "")]));
    this.leave();
  }

  async #send(bytes: Buffer, isWhole = true): Promise<Uint8Array> {
    let answer: Uint8Array;
    try {
      answer = await this.db.execProtocolRaw(bytes);
    } catch (error) {
      throw new DatabaseFailure(`PGlite has ended: ${error instanceof Error ? error.message : error}`);
    }
    // WebAssembly can crash without throwing. PGlite then returns an incomplete answer.
    if (isWhole && readyState(answer) === null) throw new DatabaseFailure("PGlite answers no more");
    return answer;
  }
}

const query = (sql: string) => message("Q", cString(sql));
