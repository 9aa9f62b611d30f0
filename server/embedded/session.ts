import type { PGlite } from "@electric-sql/pglite";
import type { ClientStatements } from "./statements";
import { message, readyState } from "./wire";

const SYNC = message("S");
/** SQL that may change the session for longer than its transaction. Functions can too, but no text shows that. */
const SETTING =
  /(?:^(?:\s*--.*\n)*|;|\*\/)\s*(?:set(?!\s+local\b)|reset|discard)\b|set_config|advisory|\bcall\s|\bdo\s+(?:language\b|\$|e?')/i;
const RESET = "reset session authorization; reset all; select pg_advisory_unlock_all()";

/** What the session must know of a client while others use it. */
export class SessionClient {
  /** Whether its SQL may have set something: this time, or any time, since a prepared statement can run again. */
  hasSet = false;
  mayAlwaysSet = false;

  constructor(readonly statements: ClientStatements) {}

  /** Looks for signs in SQL that it sets something. */
  asks(text: string, isPrepared: boolean): void {
    if (SETTING.test(text)) this[isPrepared ? "mayAlwaysSet" : "hasSet"] = true;
  }
}

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
  async exchange(client: SessionClient, bytes: Buffer, isWhole: boolean): Promise<Uint8Array> {
    const answer = await this.#send(bytes, isWhole);
    if (readyState(answer) !== "I") return answer;
    const replaced = client.statements.closeReplaced();
    if (replaced) await this.#send(replaced);
    if (client.hasSet || client.mayAlwaysSet) await this.#tell(RESET);
    client.hasSet = false;
    this.leave();
    return answer;
  }

  /** Cleans up after a client that left: its transaction and its prepared statements. @throws DatabaseFailure */
  async forget(client: SessionClient): Promise<void> {
    if (!this.isHeldBy(client) && client.statements.isEmpty) return;
    await this.enter(client);
    await this.#send(SYNC);
    await this.#tell(`rollback; ${RESET}`);
    await this.#send(client.statements.closeAll());
    this.leave();
  }

  /** Runs statements of our own. What fails of them is nobody's answer. */
  async #tell(sql: string): Promise<void> {
    await this.db.exec(sql).catch(() => {});
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
