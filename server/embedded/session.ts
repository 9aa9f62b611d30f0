import type { PGlite } from "@electric-sql/pglite";
import { readState, SessionState, type StateWatch, stateQuery } from "./session-state";
import type { ClientStatements } from "./statements";
import { cString, errorText, message, parameterStatuses, readyState } from "./wire";

const SYNC = message("S");
const LEAVE = message("Q", cString("rollback; select pg_advisory_unlock_all()"));

/** A client, and what is kept of it while others use the session. */
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
  /** Whether the first thing they do to the prepared statement without a name is to rely on it. */
  needsUnnamed: boolean;
  /** Whether they replace or drop it. */
  replacesUnnamed: boolean;
  /** Whether the answer ends with ReadyForQuery. */
  wantsReady: boolean;
};

/** PGlite has ended or answers no more, and nothing brings it back: its clients are lost, and so is who needs it. */
export class DatabaseFailure extends Error {
  override name = "DatabaseFailure";
}

/** PGlite's one session: one client at a time speaks to it, in the order of asking, and finds there what it left. */
export class Session {
  readonly #db: PGlite;
  readonly #waiting: { who: object; proceed: () => void }[] = [];
  #holder: object | null = null;
  /** The state that the session is in. */
  #state = new SessionState();
  /** The client whose statement without a name PostgreSQL holds. */
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

  /** Waits until the session is this one's, which it stays until `leave`. */
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
   * What PostgreSQL answers to the client that has the session, which it leaves if nothing of it is left open.
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
   * Begins a client's session with settings of its own, and answers what the client must know of them, or the reason
   * why there are no such settings. @throws DatabaseFailure
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

  /** Undoes what a client that is gone has left open, and removes what was its alone. @throws DatabaseFailure */
  async forget(who: SessionUser): Promise<void> {
    this.#unnamedOwner = null;
    await this.#send(Buffer.concat([SYNC, LEAVE, who.statements.closeAll(), SYNC]));
  }

  /** Puts the session into the state in which this client left it; answers what PostgreSQL said to that. */
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

  /** Notes the state that the client has brought about, and says whether the session must remain with it. */
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
    // A crash inside WebAssembly is not always thrown: what follows then is silence.
    if (wantsReady && readyState(answer) === null) throw new DatabaseFailure("PGlite answers no more");
    return answer;
  }
}
