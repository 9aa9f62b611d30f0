import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { SECOND } from "@/lib/format/time";
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

export function packet(id: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat([varint(id), ...parts]);
  return Buffer.concat([varint(body.length), body]);
}

export const text = (value: string) => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);

export function handshake(hostname: string, next = LOGIN, protocol = PROTOCOL): Buffer {
  return packet(0, varint(protocol), text(hostname), Buffer.from([0x63, 0xdd]), varint(next));
}

/** An ip, and from which one the client comes; or a socket of this machine, which has no port. */
type Place = string | { host: string; localAddress: string } | { path: string };
const placeOf = (to: Place, port: number) => (typeof to === "string" ? { host: to, port } : { ...to, port });

/** The status of the server that a client reached. Null when the connection closed without an answer. */
export async function askStatus(
  to: Place,
  port: number,
  hostname: string,
  protocol = PROTOCOL,
): Promise<string | null> {
  return (await askWholeStatus(to, port, hostname, protocol))?.motd ?? null;
}

/** What is read after these bytes are written, until the connection closes or `isWhole` says that it is all. */
async function exchange(to: Place, port: number, bytes: Buffer, isWhole: (read: Buffer) => boolean) {
  let all = Buffer.alloc(0);
  const socket = connect(placeOf(to, port), () => socket.write(bytes));
  socket.on("data", (chunk) => {
    all = Buffer.concat([all, chunk]);
    if (isWhole(all)) socket.end();
  });
  socket.on("error", () => {});
  await once(socket, "close");
  return all;
}

/** The text of the first packet; null when there is none. */
function textOf(bytes: Buffer): string | null {
  const [first] = packetsOf(bytes);
  if (!first) return null;
  let at = 1;
  while ((first[at] ?? 0) > 127) at++;
  return first.subarray(at + 1).toString();
}

/** The whole status that a client is shown; null when the connection is closed instead. */
export async function askWholeStatus(to: Place, port: number, hostname: string, protocol = PROTOCOL) {
  const request = Buffer.concat([handshake(hostname, STATUS, protocol), packet(0)]);
  const text = textOf(await exchange(to, port, request, (read) => packetsOf(read).length > 0));
  return text === null ? null : JSON.parse(text);
}

/** What a client that wants to play reads when it is kicked; null when the connection is closed instead. */
export async function askKick(to: Place, port: number, hostname: string): Promise<string | null> {
  const request = Buffer.concat([handshake(hostname), packet(0, text("Alice"))]);
  const reason = textOf(await exchange(to, port, request, () => false));
  return reason === null ? null : JSON.parse(reason).text;
}

/** What clients of before 2013 show in their list; null when the connection is closed instead. */
export async function askOldStatus(host: string, port: number): Promise<string | null> {
  const answer = await exchange(host, port, Buffer.from([0xfe, 0x01]), () => false);
  if (answer[0] !== 0xff) return null;
  return new TextDecoder("utf-16be").decode(answer.subarray(3)).split("\0")[3] ?? null;
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
  static async join(to: Place, port: number, hostname: string, name: string): Promise<Player | null> {
    const socket = connect(placeOf(to, port), () =>
      socket.write(Buffer.concat([handshake(hostname), packet(0, text(name))])),
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

  /** Says something every ten seconds from now on, as game clients do. HAProxy closes who is silent for a minute. */
  stays(): void {
    const timer = setInterval(() => this.socket.write("."), 10 * SECOND);
    this.socket.on("close", () => clearInterval(timer));
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

const PROXY_SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");

/** Reads a header of PROXY protocol v2 of TCP. Null: these bytes are none. Undefined: more are needed. */
function readProxyHeader(bytes: Buffer): { ip: string; length: number } | null | undefined {
  if (!PROXY_SIGNATURE.subarray(0, bytes.length).equals(bytes.subarray(0, 12))) return null;
  if (bytes.length < 16) return undefined;
  const length = 16 + bytes.readUInt16BE(14);
  if (bytes[12] !== 0x21 || bytes.length < length) return bytes[12] === 0x21 ? undefined : null;
  if (bytes[13] === 0x11) return { ip: [...bytes.subarray(16, 20)].join("."), length };
  if (bytes[13] !== 0x21) return null;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(16 + 2 * index).toString(16));
  return { ip: new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1), length };
}

/** A game server that counts, at its own sockets, what players bring. */
export class Origin {
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  connections = 0;
  bytes = 0;
  /** From which ports players came. */
  readonly ports: number[] = [];
  /** The ips of players that PROXY protocol said, and those of pings. */
  readonly toldIps: string[] = [];
  readonly toldIpsOfPings: string[] = [];
  /** Whether it takes connections with PROXY protocol v2 alone, or without it alone, as game servers do. */
  expectsProxy = false;
  /** What it answers to a status ping, if not its motd alone; null answers nothing. */
  status: string | null;

  constructor(
    readonly motd: string,
    /** Connections that are not a player's. */
    readonly isPing: (socket: Socket) => boolean,
  ) {
    this.status = JSON.stringify({ motd });
  }

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
    let isToBeProxied = this.expectsProxy;
    let seen = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      if (isIn) socket.write(chunk);
      else {
        seen = Buffer.concat([seen, chunk]);
        if (isToBeProxied) {
          const header = readProxyHeader(seen);
          if (header === undefined) return;
          if (header === null) return void socket.destroy();
          (isPlayer ? this.toldIps : this.toldIpsOfPings).push(header.ip);
          // Bytes of players alone are counted.
          counted += header.length;
          isToBeProxied = false;
          seen = seen.subarray(header.length);
        } else if (seen.includes(PROXY_SIGNATURE)) return void socket.destroy();
        const [opening, request] = packetsOf(seen);
        const isLogin = opening?.at(-1) === LOGIN;
        if (request && isLogin) {
          isIn = true;
          socket.write(packet(2, text(`welcome ${request.subarray(2).toString()}`)));
        } else if (request && this.status !== null) socket.write(packet(0, text(this.status)));
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
