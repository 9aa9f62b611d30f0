import type { PGlite } from "@electric-sql/pglite";
import { readState, SessionState, type StateWatch, stateQuery } from "./session-state";
import type { ClientStatements } from "./statements";
import { cString, errorText, message, parameterStatuses, readyState } from "./wire";

const SYNC = message("S");
const LEAVE = message("Q", cString("rollback; select pg_advisory_unlock_all()"));

/** The state of a client, kept while other clients use the session. */
export type SessionUser = {
  readonly statements: ClientStatements;
  readonly watch: StateWatch;
  state: SessionState;
  /** How often all statements of the session had been dropped when its own were prepared last. */
  dropsSeen: number;
};

/** Messages that PostgreSQL shall answer in one go. */
export type Turn = {
  bytes: Buffer;
  /** Whether they use the unnamed prepared statement before they replace it. */
  needsUnnamed: boolean;
  /** Whether they replace or drop the unnamed prepared statement. */
  replacesUnnamed: boolean;
  /** Whether the answer ends with ReadyForQuery. */
  wantsReady: boolean;
};

/** PGlite has crashed or stopped answering. It cannot be restarted, so every client is disconnected. */
export class DatabaseFailure extends Error {
  override name = "DatabaseFailure";
}

/** Shares PGlite's only session. Clients use it one at a time, first come first served; each finds its own state. */
export class Session {
  readonly #db: PGlite;
  readonly #waiting: { client: object; proceed: () => void }[] = [];
  #holder: object | null = null;
  /** The current state of the session. */
  #state = new SessionState();
  /** The client that owns the current unnamed statement. */
  #unnamedOwner: SessionUser | null = null;
  #drops = 0;

  constructor(db: PGlite) {
    this.#db = db;
  }

  isHeldBy(client: object): boolean {
    return this.#holder === client;
  }

  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits for the session. The caller holds it until `leave`. */
  async enter(client: object): Promise<void> {
    if (this.#holder === null) this.#holder = client;
    else if (this.#holder !== client) await new Promise<void>((proceed) => this.#waiting.push({ client, proceed }));
  }

  leave(): void {
    const next = this.#waiting.shift();
    this.#holder = next?.client ?? null;
    next?.proceed();
  }

  /**
   * Runs messages for the client that holds the session. Releases the session unless a transaction or a lock is open.
   * @throws DatabaseFailure
   */
  async exchange(client: SessionUser, turn: Turn): Promise<Uint8Array> {
    await this.#restore(client);
    if (turn.needsUnnamed && this.#unnamedOwner !== client) {
      await this.#send(Buffer.concat([client.statements.restoreUnnamed(), SYNC]));
      this.#unnamedOwner = client;
    }
    if (turn.replacesUnnamed) this.#unnamedOwner = client;
    const answer = await this.#send(turn.bytes, turn.wantsReady);
    if (client.watch.answered(answer).droppedAll) {
      client.statements.clear();
      client.dropsSeen = ++this.#drops;
    }
    if (readyState(answer) === "I" && !(await this.#isKeptBy(client))) this.leave();
    return answer;
  }

  /**
   * Applies the client's startup settings. Returns their ParameterStatus messages, or the error that refused a setting.
   * @throws DatabaseFailure
   */
  async begin(client: SessionUser, settings: Map<string, string>): Promise<{ statuses: Buffer } | { error: string }> {
    await this.enter(client);
    client.state = new SessionState(settings);
    client.dropsSeen = this.#drops;
    const answer = await this.#restore(client);
    const error = answer && errorText(answer);
    await this.#isKeptBy(client, true);
    this.leave();
    return error ? { error } : { statuses: answer ? parameterStatuses(answer) : Buffer.alloc(0) };
  }

  /** Cleans up after a client that left: its transaction, locks and prepared statements. @throws DatabaseFailure */
  async forget(client: SessionUser): Promise<void> {
    this.#unnamedOwner = null;
    await this.#send(Buffer.concat([SYNC, LEAVE, client.statements.closeAll(), SYNC]));
  }

  /** Restores the client's state and statements. Returns PostgreSQL's answer, or null if the state is the same. */
  async #restore(client: SessionUser): Promise<Uint8Array | null> {
    if (client.dropsSeen !== this.#drops) {
      client.dropsSeen = this.#drops;
      if (!client.statements.isEmpty) await this.#send(client.statements.restoreAll());
      this.#unnamedOwner = null;
    }
    if (client.state.key === this.#state.key) return null;
    const answer = await this.#send(client.state.queriesFrom(this.#state));
    this.#state = client.state;
    this.#unnamedOwner = null;
    return answer;
  }

  /** Records the client's session state. True if the client holds an advisory lock and must keep the session. */
  async #isKeptBy(client: SessionUser, isSuspect = client.watch.isSuspect): Promise<boolean> {
    if (!isSuspect) return false;
    const { state, hasLocks } = readState(await this.#send(stateQuery(client.watch.customSettings)));
    client.watch.looked();
    client.state = state;
    this.#state = state;
    this.#unnamedOwner = null;
    return hasLocks;
  }

  async #send(bytes: Buffer, wantsReady = true): Promise<Uint8Array> {
    let answer: Uint8Array;
    try {
      answer = await this.#db.execProtocolRaw(bytes);
    } catch (error) {
      throw new DatabaseFailure(`PGlite has ended: ${error instanceof Error ? error.message : error}`);
    }
    // WebAssembly can crash without throwing. PGlite then returns an incomplete answer.
    if (wantsReady && readyState(answer) === null) throw new DatabaseFailure("PGlite answers no more");
    return answer;
  }
}
