import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, afterEach, beforeAll } from "vitest";
import { BOUNDS, type SocketServer, servePGlite } from "@/server/embedded/socket-server";

// The embedded database as its clients meet it, PostgreSQL's own or a socket with bytes.

/** Less than anybody must have, but a bound that a test can reach. */
export const TIGHT = { ...BOUNDS, clients: 6, silence: 1_000, startup: 1_000 };

export async function connectTo({ host, port }: SocketServer, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user: "postgres", ...config });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** A database that is served to all tests of the file that calls this. Its clients are gone after each test. */
export function servedDatabase() {
  let db: PGlite;
  let server: SocketServer;
  const open: { end(): unknown }[] = [];

  beforeAll(async () => {
    db = await PGlite.create();
    server = await servePGlite(db, "127.0.0.1", TIGHT);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.end()));
  });
  afterAll(async () => {
    await server.stop();
    await db.close();
  });

  async function newClient(config: pg.ClientConfig = {}): Promise<pg.Client> {
    const client = await connectTo(server, config);
    open.push(client);
    return client;
  }

  async function newSocket(): Promise<Socket> {
    const socket = connect(server.port, server.host);
    socket.on("error", () => {});
    open.push({ end: () => socket.destroy() });
    await once(socket, "connect");
    return socket;
  }

  /** Quicker than to make one anew. */
  async function copyOfDatabase(): Promise<PGlite> {
    return PGlite.create({ loadDataDir: await db.dumpDataDir("none") });
  }

  /** A connection that has begun, by hand. */
  async function connected() {
    const socket = await newSocket();
    const answers = recordAnswers(socket);
    socket.write(startup());
    await answers.until("Z");
    return { socket, answers };
  }

  return { newClient, newSocket, connected, copyOfDatabase };
}

export const numberOf = async (client: pg.Client, config: pg.QueryConfig) => (await client.query(config)).rows[0].n;

export function startup(): Buffer {
  const parameters = "user\0postgres\0\0";
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, Buffer.from(parameters)]);
}

export function packet(type: string, body = ""): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** The types of the messages that the server sends, in order, and their text. */
export function recordAnswers(socket: Socket) {
  let received = Buffer.alloc(0);
  let text = "";
  let types = "";
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 5 && received.length > received.readInt32BE(1)) {
      const end = 1 + received.readInt32BE(1);
      types += String.fromCharCode(received[0] ?? 0);
      text += received.toString("latin1", 5, end);
      received = received.subarray(end);
    }
    socket.emit("answer");
  });
  return {
    text: () => text,
    /** The types up to this one, which are then forgotten; so is the text before them. */
    async until(type: string): Promise<string> {
      while (!types.includes(type)) await once(socket, "answer");
      const end = types.indexOf(type) + 1;
      const taken = types.slice(0, end);
      types = types.slice(end);
      return taken;
    },
  };
}
