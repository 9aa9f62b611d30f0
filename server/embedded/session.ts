import type { PGlite } from "@electric-sql/pglite";
import type { ClientStatements } from "./statements";
import { cString, message, readyState } from "./wire";

const SYNC = message("S");
const ROLLBACK = message("Q", cString("ROLLBACK"));

/** A client, and what the session keeps of it while others use it. */
export type SessionUser = { readonly statements: ClientStatements };

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

/** PGlite's one session: one client at a time speaks to it, in the order of asking. */
export class Session {
  readonly #db: PGlite;
  readonly #waiting: { who: object; proceed: () => void }[] = [];
  #holder: object | null = null;
  /** The client whose statement without a name PostgreSQL holds. */
  #unnamedOwner: SessionUser | null = null;

  constructor(db: PGlite) {
    this.#db = db;
  }

  isHeldBy(who: object): boolean {
    return this.#holder === who;
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

  /** What PostgreSQL answers to the client that has the session. @throws DatabaseFailure */
  async exchange(who: SessionUser, turn: Turn): Promise<Uint8Array> {
    if (turn.needsUnnamed && this.#unnamedOwner !== who) {
      await this.#send(Buffer.concat([who.statements.restoreUnnamed(), SYNC]), true);
      this.#unnamedOwner = who;
    }
    if (turn.replacesUnnamed) this.#unnamedOwner = who;
    return this.#send(turn.bytes, turn.wantsReady);
  }

  /** Undoes what a client that is gone has left open, and removes what was its alone. @throws DatabaseFailure */
  async forget(who: SessionUser): Promise<void> {
    this.#unnamedOwner = null;
    await this.#send(Buffer.concat([SYNC, ROLLBACK, who.statements.closeAll(), SYNC]), true);
  }

  async #send(bytes: Buffer, wantsReady: boolean): Promise<Uint8Array> {
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
