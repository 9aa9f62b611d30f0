// PGlite is one PostgreSQL session. Its own socket package lets the messages of several clients into that session one
// by one, so that under load one client's Bind meets another one's statement (electric-sql/pglite#1046), and what one
// of them sets holds for all. With a session for each client (electric-sql/pglite#956) this file, `session.ts` and
// `wire.ts` can go.
//
// Here a client has the session to itself from its first message until PostgreSQL says that it is ready and in no
// transaction. The rest is as behind a pooler in transaction mode: what a client sets or locks holds until its transaction
// ends, and a statement without a name until its Sync. All clients share statements with names (a client that made
// one ends them all when it leaves), temporary tables, LISTEN and cursors WITH HOLD. So the console uses no names here: see
// `withoutNames`.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";
import { SECOND } from "@/lib/format/time";
import { DatabaseFailure, Session } from "./session";
import { cString, fatalError, HEADER, message, PacketReader, ProtocolError } from "./wire";

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const PROTOCOL_MAJOR = 3;
/** The first packet of a connection: its length, the version as a code, and the client's settings. */
const STARTUP = Buffer.from("\0\0\0\x29\0\x03\0\0user\0postgres\0database\0postgres\0\0");
/** PostgreSQL's own limit for it. */
const MAX_STARTUP = 10_000;
const STARTUP_HEADER = 8;

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
  const greeting = Buffer.from(await db.execProtocolRaw(STARTUP));
  const sockets = new Set<Socket>();
  let inside = 0;
  let hasFailed = false;
  let tellFailure: (failure: DatabaseFailure) => void = () => {};
  const failed = new Promise<DatabaseFailure>((resolve) => (tellFailure = resolve));
  const server = createServer(async (socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    if (inside >= bounds.clients) return sendOff(socket, "53300", "sorry, too many clients already", bounds.startup);
    inside++;
    socket.on("close", () => inside--);
    try {
      await new Client(socket, session, greeting, bounds).serve();
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      hasFailed = true;
      for (const one of sockets) one.destroy();
      server.close();
      tellFailure(error);
    }
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

/** Tells a client why it is disconnected. Its input is discarded, because an unread socket never closes. */
function sendOff(socket: Socket, code: string, reason: string, patience: number): void {
  const timer = setTimeout(() => socket.destroy(), patience);
  socket.on("close", () => clearTimeout(timer));
  socket.resume().end(fatalError(code, reason));
}

class Client {
  readonly #reader = new PacketReader();
  readonly #silenceTimer: NodeJS.Timeout;
  #turn: Buffer[] = [];
  #turnSize = 0;
  #isStarted = false;
  #hasNames = false;

  constructor(
    private readonly socket: Socket,
    private readonly session: Session,
    /** PostgreSQL's first words to a client. */
    private readonly greeting: Buffer,
    private readonly bounds: typeof BOUNDS,
  ) {
    this.#silenceTimer = setInterval(() => this.#endSilence(), bounds.silence).unref();
    socket.setTimeout(bounds.startup, () => socket.destroy());
  }

  /** Answers the client until it leaves. @throws DatabaseFailure */
  async serve(): Promise<void> {
    const { socket, bounds } = this;
    try {
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        this.#reader.push(chunk);
        if (!this.#begin() || !(await this.#answer())) break;
      }
      socket.end();
    } catch (error) {
      if (error instanceof DatabaseFailure) throw error;
      // Any other error is that of the connection.
      if (error instanceof ProtocolError) sendOff(socket, error.code, error.message, bounds.startup);
    } finally {
      clearInterval(this.#silenceTimer);
    }
    await this.session.forget(this, this.#hasNames);
  }

  /** Disconnects a client that holds the session in silence while others wait, whether it reads or not. */
  #endSilence(): void {
    if (!this.session.isHeldBy(this) || !this.session.isWanted) return;
    const reason = "terminating connection: it kept the embedded database's one session in silence";
    this.socket.write(fatalError("25P03", reason));
    this.socket.destroy();
  }

  /** Begins the connection, with no settings of the client's. False: it is to end. @throws ProtocolError */
  #begin(): boolean {
    while (!this.#isStarted) {
      const packet = this.#reader.next(0, MAX_STARTUP);
      if (!packet) return true;
      if (packet.length < STARTUP_HEADER) throw new ProtocolError("invalid length of startup packet");
      const code = packet.readInt32BE(STARTUP_HEADER / 2);
      // PGlite runs one statement at a time and blocks meanwhile, so there is nothing to cancel.
      if (code === CANCEL_REQUEST) return false;
      if (code === SSL_REQUEST || code === GSS_REQUEST) {
        this.socket.write("N");
        continue;
      }
      if (code >> 16 !== PROTOCOL_MAJOR) throw new ProtocolError("this server speaks protocol 3.0 only");
      this.socket.setTimeout(0);
      this.#isStarted = true;
      this.socket.write(this.greeting);
    }
    return true;
  }

  /** Answers what has arrived in full. False: the connection is to end. @throws ProtocolError, DatabaseFailure */
  async #answer(): Promise<boolean> {
    if (!this.#isStarted) return true;
    for (let next = this.#nextMessage(); next; next = this.#nextMessage()) {
      if (next === "X") return false;
      if (!ENDS_OF_TURN.has(next)) continue;
      const turn = Buffer.concat(this.#turn);
      this.#turn = [];
      this.#turnSize = 0;
      await this.session.enter(this);
      // The client disconnected while it waited for the session.
      if (this.socket.destroyed) return false;
      const answer = await this.session.exchange(turn, next !== "H");
      this.#silenceTimer.refresh();
      // Waits until the client has read it, so that answers do not pile up.
      await new Promise((resolve) => this.socket.write(answer, resolve));
    }
    return true;
  }

  /** Takes a message into the turn. Returns its type, or null until one has arrived in full. @throws ProtocolError */
  #nextMessage(): string | null {
    const bytes = this.#reader.next(1, this.bounds.turn);
    if (!bytes) return null;
    const type = String.fromCharCode(bytes[0] ?? 0);
    if (!KNOWN.has(type)) throw new ProtocolError(`invalid frontend message type ${bytes[0]}`);
    if (COPY_DATA.has(type)) return type;
    // The name comes first. An empty one is only the zero byte that ends it.
    if (type === "P" && bytes[HEADER] !== 0) this.#hasNames = true;
    this.#turn.push(bytes);
    if (type === "Q" || type === "E") this.#turn.push(COPY_FAILS);
    this.#turnSize += bytes.length;
    if (this.#turnSize > this.bounds.turn) {
      throw new ProtocolError(`more than ${this.bounds.turn} bytes without a Sync`);
    }
    return type;
  }
}
