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
  readonly #waiting: { who: object; proceed: () => void }[] = [];
  #holder: object | null = null;
  /** The current state of the session. */
  #state = new SessionState();
  /** The client that owns the current unnamed statement. */
  #unnamedOwner: SessionUser | null = null;
  #drops = 0;

  constructor(db: PGlite) {
    this.#db = db;
  }

  isHeldBy(who: object): boolean {
    return this.#holder === who;
  }

  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits for the session. The caller holds it until `leave`. */
  async enter(who: object): Promise<void> {
    if (this.#holder === null) this.#holder = who;
    else if (this.#holder !== who) await new Promise<void>((proceed) => this.#waiting.push({ who, proceed }));
  }

  leave(): void {
    const next = this.#waiting.shift();
    this.#holder = next?.who ?? null;
    next?.proceed();
  }

  /**
   * Runs messages for the client that holds the session. Releases the session unless a transaction or a lock is open.
   * @throws DatabaseFailure
   */
  async exchange(who: SessionUser, turn: Turn): Promise<Uint8Array> {
    await this.#restore(who);
    if (turn.needsUnnamed && this.#unnamedOwner !== who) {
      await this.#send(Buffer.concat([who.statements.restoreUnnamed(), SYNC]));
      this.#unnamedOwner = who;
    }
    if (turn.replacesUnnamed) this.#unnamedOwner = who;
    const answer = await this.#send(turn.bytes, turn.wantsReady);
    if (who.watch.answered(answer).droppedAll) {
      who.statements.clear();
      who.dropsSeen = ++this.#drops;
    }
    if (readyState(answer) === "I" && !(await this.#isKeptBy(who))) this.leave();
    return answer;
  }

  /**
   * Applies the client's startup settings. Returns their ParameterStatus messages, or the error that refused a setting.
   * @throws DatabaseFailure
   */
  async begin(who: SessionUser, settings: Map<string, string>): Promise<{ statuses: Buffer } | { error: string }> {
    await this.enter(who);
    who.state = new SessionState(settings);
    who.dropsSeen = this.#drops;
    const answer = await this.#restore(who);
    const error = answer && errorText(answer);
    await this.#isKeptBy(who, true);
    this.leave();
    return error ? { error } : { statuses: answer ? parameterStatuses(answer) : Buffer.alloc(0) };
  }

  /** Cleans up after a client that left: its transaction, locks and prepared statements. @throws DatabaseFailure */
  async forget(who: SessionUser): Promise<void> {
    this.#unnamedOwner = null;
    await this.#send(Buffer.concat([SYNC, LEAVE, who.statements.closeAll(), SYNC]));
  }

  /** Restores the client's state and statements. Returns PostgreSQL's answer, or null if the state is the same. */
  async #restore(who: SessionUser): Promise<Uint8Array | null> {
    if (who.dropsSeen !== this.#drops) {
      who.dropsSeen = this.#drops;
      if (!who.statements.isEmpty) await this.#send(who.statements.restoreAll());
      this.#unnamedOwner = null;
    }
    if (who.state.key === this.#state.key) return null;
    const answer = await this.#send(who.state.queriesFrom(this.#state));
    this.#state = who.state;
    this.#unnamedOwner = null;
    return answer;
  }

  /** Records the client's session state. True if the client holds an advisory lock and must keep the session. */
  async #isKeptBy(who: SessionUser, isSuspect = who.watch.isSuspect): Promise<boolean> {
    if (!isSuspect) return false;
    const { state, hasLocks } = readState(await this.#send(stateQuery(who.watch.customSettings)));
    who.watch.looked();
    who.state = state;
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
