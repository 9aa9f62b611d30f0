// PGlite is one PostgreSQL session. Its own socket package lets the messages of several clients into that session one
// by one, so that under load one client's Bind meets another one's statement (electric-sql/pglite#1046), and what one
// of them sets or prepares holds for all. With a session for each client (electric-sql/pglite#956) this file,
// `session.ts`, `session-state.ts`, `statements.ts` and `wire.ts` can go.
//
// Here a client has the session to itself from its first message until PostgreSQL says that it is ready and in no
// transaction, and it finds its prepared statements and settings as it left them. A client with an advisory lock keeps
// the session until it releases the lock. All clients share temporary tables, LISTEN and cursors WITH HOLD.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";
import { SECOND } from "@/lib/format/time";
import { DatabaseFailure, Session, type SessionUser, type Turn } from "./session";
import { SessionState, StateWatch, startupSettings } from "./session-state";
import { ClientStatements, queryText, useOfUnnamed } from "./statements";
import { cString, fatalError, type Message, MessageReader, message, ProtocolError, READY_LENGTH } from "./wire";

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const PROTOCOL_MAJOR = 3;

/** Limits on the memory and the session time of a client. */
export const BOUNDS = {
  /** PostgreSQL's default for max_connections. */
  clients: 100,
  /** In bytes: how much a client may send before it waits for an answer. */
  turn: 64 * 1024 * 1024,
  /** A connection without a startup packet is closed after this time. */
  startup: 10 * SECOND,
  /** A client that holds the session is disconnected after this long without a message, if others wait. */
  silence: 10 * SECOND,
};
/** In bytes. Reading from a client pauses while it has more than this unprocessed. */
const MAX_UNREAD = 1024 * 1024;

/** The message types that PGlite knows. Any other type would crash it. */
const KNOWN = new Set("PBDECSQHFdcfX");
/** After these the client waits for an answer. */
const ENDS_OF_TURN = new Set("SQHF");
/** The messages of a COPY from the client. They are ignored, because no COPY ever runs: see COPY_FAILS. */
const COPY_DATA = new Set("dcf");
/**
 * Sent after every message that could start a COPY from the client; it has no effect otherwise. PGlite cannot ask the
 * client for the data and would crash.
 */
const COPY_FAILS = message("f", cString("the embedded database takes no data this way; use INSERT"));

export type SocketServer = {
  host: string;
  port: number;
  /** Resolves when the database has ended by itself, and every client with it; else never. */
  failed: Promise<DatabaseFailure>;
  stop(): Promise<void>;
};

/** Serves the database to PostgreSQL clients on a free port of the host. */
export async function servePGlite(db: PGlite, host: string, bounds = BOUNDS): Promise<SocketServer> {
  const session = new Session(db);
  const greeting = Buffer.from(await db.execProtocolRaw(startupPacket()));
  const sockets = new Set<Socket>();
  let clients = 0;
  let inside = 0;
  let hasFailed = false;
  let fail: (failure: DatabaseFailure) => void = () => {};
  const failed = new Promise<DatabaseFailure>((resolve) => {
    fail = (failure) => {
      hasFailed = true;
      for (const socket of sockets) socket.destroy();
      server.close();
      resolve(failure);
    };
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    if (inside >= bounds.clients) return turnAway(socket, bounds.startup);
    inside++;
    socket.on("close", () => inside--);
    new Client(clients++, socket, { session, greeting, bounds, fail });
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    host,
    port: (server.address() as AddressInfo).port,
    failed,
    async stop() {
      if (hasFailed) return;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      await session.enter(server);
    },
  };
}

/** Rejects a client when there are too many. Its input is discarded, because an unread socket never closes. */
function turnAway(socket: Socket, patience: number): void {
  const timer = setTimeout(() => socket.destroy(), patience);
  socket.on("close", () => clearTimeout(timer));
  socket.resume().end(fatalError("53300", "sorry, too many clients already"));
}

/** What all clients share. */
type Shared = {
  session: Session;
  /** PostgreSQL's first words to a client. */
  greeting: Buffer;
  bounds: typeof BOUNDS;
  fail(failure: DatabaseFailure): void;
};

class Client implements SessionUser {
  readonly statements: ClientStatements;
  readonly watch = new StateWatch();
  state = new SessionState();
  dropsSeen = 0;
  readonly #socket: Socket;
  readonly #shared: Shared;
  readonly #reader: MessageReader;
  readonly #silenceTimer: NodeJS.Timeout;
  #turn: Message[] = [];
  #turnSize = 0;
  #isStarted = false;
  #isBusy = false;
  #isClosed = false;

  constructor(id: number, socket: Socket, shared: Shared) {
    this.statements = new ClientStatements(id);
    this.#socket = socket;
    this.#shared = shared;
    this.#reader = new MessageReader(shared.bounds.turn);
    this.#silenceTimer = setInterval(() => this.#endSilence(), shared.bounds.silence).unref();
    socket.setTimeout(shared.bounds.startup, () => this.#isStarted || socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      this.#reader.push(chunk);
      void this.#work();
      if (this.#isBusy && this.#reader.size > MAX_UNREAD) socket.pause();
    });
    socket.on("close", () => {
      this.#isClosed = true;
      clearInterval(this.#silenceTimer);
      void this.#work();
    });
  }

  /** Answers whatever has been received in full. Only one run at a time, so that answers keep their order. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#answerAll();
      if (this.#isClosed) await this.#leaveForGood();
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      this.#shared.fail(error);
    } finally {
      this.#isBusy = false;
      this.#socket.resume();
    }
  }

  /** @throws DatabaseFailure */
  async #answerAll(): Promise<void> {
    try {
      while (!this.#isClosed && (this.#isStarted || (await this.#greet()))) {
        const turn = this.#nextTurn();
        if (!turn) return;
        await this.#shared.session.enter(this);
        // The client disconnected while it waited for the session.
        if (this.#isClosed) return;
        const answer = await this.#shared.session.exchange(this, turn);
        this.#silenceTimer.refresh();
        await this.#write(answer);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#cutOff("08P01", error.message);
    }
  }

  async #leaveForGood(): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    if (!this.#shared.session.isHeldBy(this) && this.statements.isEmpty) return;
    await this.#shared.session.enter(this);
    await this.#shared.session.forget(this);
    this.#shared.session.leave();
  }

  #cutOff(code: string, reason: string): void {
    this.#isClosed = true;
    this.#socket.write(fatalError(code, reason));
    this.#socket.destroySoon();
  }

  /** Disconnects a client that holds the session in silence while others wait. */
  #endSilence(): void {
    const { session } = this.#shared;
    if (!session.isHeldBy(this) || !session.isWanted) return;
    this.#cutOff("25P03", "terminating connection: it kept the embedded database's one session in silence");
    // If the client does not read either, destroySoon() never closes the socket.
    this.#socket.destroy();
  }

  /** Waits until the client has read its answers, so that they do not pile up. */
  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed || this.#socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        this.#socket.off("drain", goOn).off("close", goOn);
        resolve();
      };
      this.#socket.on("drain", goOn).on("close", goOn);
    });
  }

  /** Begins the connection, and says whether it has begun. @throws ProtocolError, DatabaseFailure */
  async #greet(): Promise<boolean> {
    for (let packet = this.#reader.nextStartup(); packet; packet = this.#reader.nextStartup()) {
      if (packet.code === SSL_REQUEST || packet.code === GSS_REQUEST) {
        this.#socket.write("N");
      } else if (packet.code === CANCEL_REQUEST) {
        // PGlite runs one statement at a time and blocks meanwhile, so there is nothing to cancel.
        this.#socket.end();
        return false;
      } else {
        if (packet.code >> 16 !== PROTOCOL_MAJOR) throw new ProtocolError("this server speaks protocol 3.0 only");
        this.#isStarted = true;
        const begun = await this.#shared.session.begin(this, startupSettings(packet.body));
        if ("error" in begun) {
          this.#cutOff("22023", begun.error);
          return false;
        }
        const { greeting } = this.#shared;
        const ready = greeting.length - READY_LENGTH;
        this.#socket.write(Buffer.concat([greeting.subarray(0, ready), begun.statuses, greeting.subarray(ready)]));
        return true;
      }
    }
    return false;
  }

  /** Takes all messages up to one that asks for an answer. Null until that one has arrived. @throws ProtocolError */
  #nextTurn(): Turn | null {
    for (let next = this.#reader.next(); next; next = this.#reader.next()) {
      const { type, bytes } = next;
      if (!KNOWN.has(type)) throw new ProtocolError(`invalid frontend message type ${type.charCodeAt(0)}`);
      if (type === "X") {
        this.#socket.end();
        return null;
      }
      if (COPY_DATA.has(type)) continue;
      const text = queryText(next);
      if (text) this.watch.asked(text);
      this.#turn.push(next);
      this.#turnSize += bytes.length;
      const { turn } = this.#shared.bounds;
      if (this.#turnSize > turn) throw new ProtocolError(`more than ${turn} bytes without a Sync`);
      if (ENDS_OF_TURN.has(type)) return this.#takeTurn();
    }
    return null;
  }

  /** @throws ProtocolError */
  #takeTurn(): Turn {
    const messages = this.#turn;
    this.#turn = [];
    this.#turnSize = 0;
    const uses = messages.map(useOfUnnamed).filter((use) => use !== null);
    return {
      bytes: Buffer.concat(
        messages.flatMap((next) => {
          const renamed = this.statements.rename(next);
          return next.type === "Q" || next.type === "E" ? [renamed, COPY_FAILS] : [renamed];
        }),
      ),
      needsUnnamed: uses[0] === "needs",
      replacesUnnamed: uses.includes("replaces"),
      wantsReady: messages.at(-1)?.type !== "H",
    };
  }
}

function startupPacket(): Buffer {
  const parameters = Buffer.from("user\0postgres\0database\0postgres\0\0");
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(PROTOCOL_MAJOR << 16, 4);
  return Buffer.concat([head, parameters]);
}
