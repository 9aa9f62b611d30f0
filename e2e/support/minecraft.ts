import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { FACT } from "./patience";

// A minimal Minecraft protocol (Java Edition): handshake, status, login, then arbitrary bytes. Proxies recognize the
// protocol by these packets.

const STATUS = 1;
const LOGIN = 2;
const PROTOCOL = 765;

function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number >>> 0;
  do {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

function packet(id: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat([varint(id), ...parts]);
  return Buffer.concat([varint(body.length), body]);
}

const text = (value: string) => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);

function handshake(hostname: string, next: number, protocol = PROTOCOL): Buffer {
  return packet(0, varint(protocol), text(hostname), Buffer.from([0x63, 0xdd]), varint(next));
}

/** The status of the server that a client reached. Null when the connection closed without an answer. */
export async function askStatus(host: string, port: number, hostname: string, protocol = PROTOCOL) {
  const socket = connect(port, host, () =>
    socket.write(Buffer.concat([handshake(hostname, STATUS, protocol), packet(0)])),
  );
  const answer = await readAll(socket, /\}$/);
  return /\{"motd":"([^"]*)"\}/.exec(answer)?.[1] ?? null;
}

/** A logged-in player. The origin echoes its messages. */
export class Player {
  readonly closed: Promise<unknown>;
  #said = "";

  private constructor(readonly socket: Socket) {
    this.closed = once(socket, "close");
    socket.on("data", (chunk) => (this.#said += chunk));
  }

  /** Null: the connection was closed instead. */
  static async join(host: string, port: number, hostname: string, name: string): Promise<Player | null> {
    const socket = connect(port, host, () =>
      socket.write(Buffer.concat([handshake(hostname, LOGIN), packet(0, text(name))])),
    );
    socket.on("error", () => {});
    const player = new Player(socket);
    for (const deadline = Date.now() + FACT; Date.now() < deadline && !socket.closed; ) {
      if (player.#said.includes(`welcome ${name}`)) return player;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    socket.destroy();
    return null;
  }

  /** Sends a message and waits for its echo. False when none comes. */
  async plays(bytes: number): Promise<boolean> {
    const before = this.#said.length;
    this.socket.write(Buffer.alloc(bytes, "p"));
    for (const deadline = Date.now() + FACT; Date.now() < deadline && !this.socket.closed; ) {
      if (this.#said.length - before >= bytes) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
  }

  async leave(): Promise<void> {
    this.socket.end();
    await this.closed;
  }
}

/** The complete packets so far, without their length prefixes. */
function packetsOf(bytes: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    let [length, shift] = [0, 0];
    for (let byte = 128; byte >= 128; shift += 7) {
      byte = bytes[at++] ?? 0;
      length |= (byte & 127) << shift;
    }
    if (at + length > bytes.length) break;
    packets.push(bytes.subarray(at, at + length));
    at += length;
  }
  return packets;
}

async function readAll(socket: Socket, end: RegExp): Promise<string> {
  let all = "";
  socket.on("data", (chunk) => {
    all += chunk;
    if (end.test(all)) socket.end();
  });
  socket.on("error", () => {});
  await once(socket, "close");
  return all;
}

/** A game server that counts, at its own sockets, what players bring. */
export class Origin {
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  connections = 0;
  bytes = 0;
  /** From which ports players came. */
  readonly ports: number[] = [];

  constructor(
    readonly motd: string,
    /** Connections that are not a player's. */
    readonly isPing: (socket: Socket) => boolean,
  ) {}

  async listen(host: string, port = 0): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  #serve(socket: Socket): void {
    const isPlayer = !this.isPing(socket);
    this.#sockets.add(socket);
    if (isPlayer) {
      this.connections++;
      this.ports.push(socket.remotePort ?? 0);
    }
    let counted = 0;
    const count = () => {
      if (!isPlayer) return;
      const now = socket.bytesRead + socket.bytesWritten;
      this.bytes += now - counted;
      counted = now;
    };
    socket.on("error", () => {});
    socket.on("close", () => {
      count();
      this.#sockets.delete(socket);
    });
    let isIn = false;
    let seen = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      if (isIn) socket.write(chunk);
      else {
        seen = Buffer.concat([seen, chunk]);
        const [opening, request] = packetsOf(seen);
        const isLogin = opening?.at(-1) === LOGIN;
        if (request && isLogin) {
          isIn = true;
          socket.write(packet(2, text(`welcome ${request.subarray(2).toString()}`)));
        } else if (request) socket.write(packet(0, text(JSON.stringify({ motd: this.motd }))));
      }
      setImmediate(count);
    });
  }

  /** Stops like a crash: disconnects all players. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
