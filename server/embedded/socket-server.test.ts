import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type SocketServer, servePGlite } from "./socket-server";

let db: PGlite;
let server: SocketServer;
const open: { end(): unknown }[] = [];

beforeAll(async () => {
  db = await PGlite.create();
  server = await servePGlite(db, "127.0.0.1");
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()));
});
afterAll(async () => {
  await server.stop();
  await db.close();
});

async function newClient(): Promise<pg.Client> {
  const client = new pg.Client({ host: server.host, port: server.port, user: "postgres", database: "postgres" });
  client.on("error", () => {});
  await client.connect();
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

const numberOf = async (client: pg.Client, config: pg.QueryConfig) => (await client.query(config)).rows[0].n;

test("two clients prepare different statements under one name, and each gets its own answers", async () => {
  const [first, second] = [await newClient(), await newClient()];
  const one = { name: "same", text: "select 1 as n" };
  const two = { name: "same", text: "select 2 as n" };
  for (let round = 0; round < 3; round++) {
    expect(await numberOf(first, one)).toBe(1);
    expect(await numberOf(second, two)).toBe(2);
  }
});

test("a client that comes back prepares its statements anew, and nothing is left of those of one that is gone", async () => {
  for (let round = 0; round < 2; round++) {
    const client = await newClient();
    expect(await numberOf(client, { name: "again", text: "select 3 as n" })).toBe(3);
    await client.end();
  }
  const { rows } = await (await newClient()).query("select count(*)::int as n from pg_prepared_statements");
  expect(rows).toEqual([{ n: 0 }]);
});

test("a client cannot use a name that only another client has prepared", async () => {
  await numberOf(await newClient(), { name: "mine", text: "select 1 as n" });
  const socket = await newSocket();
  const answers = recordAnswers(socket);
  socket.write(startup());
  await answers.until("Z");
  socket.write(Buffer.concat([packet("B", "\0mine\0\0\0\0\0\0\0"), packet("S")]));
  expect(await answers.until("Z")).toContain("E");
  expect(answers.text()).toContain("C26000\0");
});

test("the statement without a name outlives its Sync, whatever other clients do meanwhile", async () => {
  const socket = await newSocket();
  const answers = recordAnswers(socket);
  socket.write(startup());
  await answers.until("Z");
  socket.write(Buffer.concat([packet("P", "\0select 'mine'\0\0\0"), packet("S")]));
  await answers.until("Z");
  const other = await newClient();
  await other.query("select 'other' || $1", ["s"]);
  await other.query("select 1");
  socket.write(Buffer.concat([packet("B", "\0\0\0\0\0\0\0\0"), packet("E", "\0\0\0\0\0"), packet("S")]));
  expect(await answers.until("Z")).toBe("2DCZ");
  expect(answers.text()).toContain("mine");
});

function startup(code = 196_608, parameters = "user\0postgres\0\0"): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(code, 4);
  return Buffer.concat([head, Buffer.from(parameters)]);
}

function packet(type: string, body = ""): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** The types of the messages that the server sends, in order, and their text. */
function recordAnswers(socket: Socket) {
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
