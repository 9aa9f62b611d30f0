import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";

// PGlite is one PostgreSQL session. Its own socket package lets the messages of several clients into that session one
// by one, so that under load one client's Bind meets another one's statement. Here a client has the session to itself
// from its first message until PostgreSQL says that it is ready and in no transaction.

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const CODE = (letter: string) => letter.charCodeAt(0);
/** After these the client waits for an answer: Sync, Query, Flush, and what ends a COPY. */
const ENDS_OF_TURN = new Set(["S", "Q", "H", "c", "f"].map(CODE));
const TERMINATE = CODE("X");
const ROLLBACK = Buffer.concat([message("S"), message("Q", "ROLLBACK\0")]);

export type PGliteServer = { host: string; port: number; stop(): Promise<void> };

/** Serves the database to any number of PostgreSQL clients on a free port of the host. */
export async function servePGlite(db: PGlite, host: string): Promise<PGliteServer> {
  const session = new Session();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => sockets.delete(socket));
    new Client(db, session, socket);
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    host,
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      await session.acquire(server);
    },
  };
}

/** Who may speak to PostgreSQL: one at a time, in the order of asking. */
class Session {
  #holder: object | null = null;
  readonly #waiting: { who: object; proceed: () => void }[] = [];

  isHeldBy(who: object): boolean {
    return this.#holder === who;
  }

  async acquire(who: object): Promise<void> {
    if (this.#holder === null) this.#holder = who;
    else if (this.#holder !== who) await new Promise<void>((proceed) => this.#waiting.push({ who, proceed }));
  }

  release(): void {
    const next = this.#waiting.shift();
    this.#holder = next?.who ?? null;
    next?.proceed();
  }
}

class Client {
  readonly #db: PGlite;
  readonly #session: Session;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isStarted = false;
  #isBusy = false;
  #isClosed = false;

  constructor(db: PGlite, session: Session, socket: Socket) {
    this.#db = db;
    this.#session = session;
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      void this.#work();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#isClosed = true;
      void this.#work();
    });
  }

  /** Answers whatever has been received in full. Only one run at a time, so that answers keep their order. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let turn = this.#takeTurn(); turn && !this.#isClosed; turn = this.#takeTurn()) {
        await this.#session.acquire(this);
        const answer = await this.#db.execProtocolRaw(turn);
        if (!this.#isClosed) this.#socket.write(answer);
        if (endsIdle(answer)) this.#session.release();
      }
      if (this.#isClosed && this.#session.isHeldBy(this)) {
        await this.#db.execProtocolRaw(ROLLBACK);
        this.#session.release();
      }
    } catch {
      this.#socket.destroy();
      if (this.#session.isHeldBy(this)) this.#session.release();
    } finally {
      this.#isBusy = false;
    }
  }

  /** The messages up to the next one that wants an answer, or null while that has not arrived. */
  #takeTurn(): Buffer | null {
    if (!this.#isStarted) return this.#takeStartup();
    let end = 0;
    while (this.#received.length >= end + 5) {
      const type = this.#received[end] ?? 0;
      const next = end + 1 + this.#received.readInt32BE(end + 1);
      if (this.#received.length < next) return null;
      end = next;
      if (type === TERMINATE) {
        this.#socket.end();
        return null;
      }
      if (ENDS_OF_TURN.has(type)) return this.#take(end);
    }
    return null;
  }

  #takeStartup(): Buffer | null {
    if (this.#received.length < 8) return null;
    const length = this.#received.readInt32BE(0);
    const code = this.#received.readInt32BE(4);
    if (this.#received.length < length) return null;
    const packet = this.#take(length);
    if (code === SSL_REQUEST) {
      this.#socket.write("N");
      return this.#takeStartup();
    }
    if (code === CANCEL_REQUEST) {
      this.#socket.end();
      return null;
    }
    this.#isStarted = true;
    return packet;
  }

  #take(length: number): Buffer {
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }
}

/** ReadyForQuery with the status "idle" is the last message: no transaction is open. */
function endsIdle(answer: Uint8Array): boolean {
  const [type, , , , length, status] = answer.subarray(-6);
  return type === CODE("Z") && length === 5 && status === CODE("I");
}

function message(type: string, body = ""): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}
