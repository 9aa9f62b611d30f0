import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { needsProgram } from "@/e2e/support/unit-needs";
import { BOUNDS, type SocketServer, servePGlite } from "./socket-server";

/** Less than anybody must have, but a bound that a test can reach. */
const TIGHT = { ...BOUNDS, clients: 6, silence: 1_000, turn: 100_000, startup: 1_000 };

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
  const client = new pg.Client({ host: server.host, port: server.port, user: "postgres", ...config });
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
  const { socket, answers } = await connected();
  socket.write(Buffer.concat([packet("B", "\0mine\0\0\0\0\0\0\0"), packet("S")]));
  expect(await answers.until("Z")).toContain("E");
  expect(answers.text()).toContain("C26000\0");
});

test("the statement without a name outlives its Sync, whatever other clients do meanwhile", async () => {
  const { socket, answers } = await connected();
  socket.write(Buffer.concat([packet("P", "\0select 'mine'\0\0\0"), packet("S")]));
  await answers.until("Z");
  const other = await newClient();
  await other.query("select 'other' || $1", ["s"]);
  await other.query("select 1");
  socket.write(Buffer.concat([packet("B", "\0\0\0\0\0\0\0\0"), packet("E", "\0\0\0\0\0"), packet("S")]));
  expect(await answers.until("Z")).toBe("2DCZ");
  expect(answers.text()).toContain("mine");
});

test("what a client sets or locks holds until its transaction ends, for itself alone", async () => {
  const [first, second] = [await newClient({ options: "-c work_mem=5MB" }), await newClient()];
  const state = `select current_setting('timezone') as zone, current_setting('work_mem') as memory, current_user as role,
    pg_try_advisory_xact_lock(1) as free`;
  const untouched = [{ zone: "UTC", memory: "4MB", role: "postgres", free: true }];
  await first.query("create role reader");
  await first.query("begin; set time zone 'Asia/Tokyo'; set role reader; select pg_advisory_lock(1)");
  await first.query("select set_config('app.tenant', 'first', false)");
  expect((await first.query(state)).rows).toMatchObject([{ zone: "Asia/Tokyo", role: "reader" }]);
  await first.query("commit");
  for (const client of [first, second]) {
    expect((await client.query(state)).rows).toEqual(untouched);
    expect((await client.query("select nullif(current_setting('app.tenant', true), '') as n")).rows[0].n).toBeNull();
  }
});

test.each(["discard all", "deallocate all"])("%s of one client breaks no other one", async (command) => {
  const [first, second] = [await newClient(), await newClient()];
  const statement = { name: "kept", text: "select 4 as n" };
  expect(await numberOf(second, statement)).toBe(4);
  expect(await numberOf(first, statement)).toBe(4);
  await first.query(command);
  expect(await numberOf(second, statement)).toBe(4);
  // It is gone, and can be prepared again.
  expect(await numberOf(first, { name: "again", text: "select 5 as n" })).toBe(5);
});

test("what SQL deallocates is the client's own statement of that name", async () => {
  const [first, second] = [await newClient(), await newClient()];
  const statement = { name: "Name", text: "select 6 as n" };
  await numberOf(first, statement);
  await numberOf(second, statement);
  await first.query('DEALLOCATE "Name";');
  expect(await numberOf(second, statement)).toBe(6);
  await expect(first.query('deallocate "Name"')).rejects.toThrow("does not exist");
});

test("transactions of two clients never mix, and one that dies is rolled back", async () => {
  const [first, second, third] = [await newClient(), await newClient(), await newClient()];
  await first.query("create table moves (who text)");
  await first.query("begin");
  const others = second.query("begin; insert into moves values ('second'); commit");
  await first.query("insert into moves values ('first')");
  expect((await first.query("select who from moves")).rows).toEqual([{ who: "first" }]);
  await first.query("rollback");
  await others;
  await first.query("begin; insert into moves values ('died')");
  (first as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  expect((await third.query("select who from moves")).rows).toEqual([{ who: "second" }]);
});

test.each([
  ["an idle transaction", () => packet("Q", "begin\0")],
  ["Flush without Sync", () => Buffer.concat([packet("P", "\0select 1\0\0\0"), packet("H")])],
])("a client that keeps the session in silence with %s is cut off once others wait", async (_, open) => {
  const silent = await connected();
  silent.socket.write(open());
  await silent.answers.until(open().includes("P") ? "1" : "Z");
  const other = await newClient();
  expect(await numberOf(other, { text: "select 7 as n" })).toBe(7);
  await silent.answers.until("E");
  expect(silent.answers.text()).toContain("C25P03\0");
});

test("a client that keeps the session while nobody waits for it is left alone", async () => {
  const client = await newClient();
  await client.query("begin");
  await new Promise((resolve) => setTimeout(resolve, 3 * TIGHT.silence));
  expect((await client.query("select 1 as n")).rows[0].n).toBe(1);
  await client.query("commit");
});

test("COPY from the client is an error, by either protocol, and the client goes on; COPY to it works", async () => {
  const client = await newClient();
  await client.query("create table numbers (n int)");
  await expect(client.query("copy numbers from stdin")).rejects.toThrow("takes no data this way; use INSERT");
  await expect(client.query({ text: "copy numbers from stdin", values: [], name: "c" })).rejects.toThrow("no data");
  expect(await numberOf(client, { text: "select count(*)::int as n from numbers" })).toBe(0);

  const { socket, answers } = await connected();
  socket.write(Buffer.concat([packet("Q", "copy numbers from stdin\0"), packet("d", "1\n"), packet("c")]));
  expect(await answers.until("Z")).toBe("GEZ");
  socket.write(packet("Q", "copy (select 8) to stdout\0"));
  expect(await answers.until("Z")).toBe("HdcCZ");
});

test("encryption is declined, by either name, and the connection goes on without", async () => {
  const socket = await newSocket();
  for (const code of [80_877_104, 80_877_103]) {
    socket.write(startup(code, ""));
    expect(String((await once(socket, "data"))[0])).toBe("N");
  }
  const answers = recordAnswers(socket);
  socket.write(startup());
  expect(await answers.until("Z")).toMatch(/^RS+KZ$/);
});

test.each([
  ["a negative length", Buffer.from("Q\xff\xff\xff\xffselect 1", "latin1")],
  ["an absurd length", Buffer.from("Q\x7f\xff\xff\xffselect 1", "latin1")],
  ["an unknown message", packet("z", "x")],
  ["a text that never ends", packet("P", "select 1")],
])("a client that sends %s is told so and cut off; others notice nothing", async (_, bytes) => {
  const [{ socket, answers }, other] = [await connected(), await newClient()];
  socket.write(bytes);
  await answers.until("E");
  expect(answers.text()).toContain("C08P01\0");
  if (!socket.closed) await once(socket, "close");
  expect(await numberOf(other, { text: "select 9 as n" })).toBe(9);
});

test("a client that sends more than there is room for before it wants an answer is told so and cut off; what it left open is undone, and others notice nothing", async () => {
  const [{ socket, answers }, other] = [await connected(), await newClient()];
  await other.query("create table bounded (n int)");
  socket.write(packet("Q", "begin; insert into bounded values (1)\0"));
  await answers.until("Z");
  // Each is small; only together, and without a Sync, are they too much.
  const statement = packet("P", `\0select '${"x".repeat(10_000)}'\0\0\0`);
  for (let sent = 0; sent <= TIGHT.turn; sent += statement.length) socket.write(statement);
  await answers.until("E");
  expect(answers.text()).toContain("C08P01\0");
  expect(answers.text()).toContain(`more than ${TIGHT.turn} bytes without a Sync`);
  if (!socket.closed) await once(socket, "close");
  expect(await numberOf(other, { text: "select count(*)::int as n from bounded" })).toBe(0);
});

test("a message larger than there is room for is refused by its length, before it arrives", async () => {
  const { socket, answers } = await connected();
  const head = packet("Q");
  head.writeInt32BE(TIGHT.turn + 1, 1);
  socket.write(head);
  await answers.until("E");
  expect(answers.text()).toContain(
    `a message of ${TIGHT.turn + 1} bytes; the embedded database takes up to ${TIGHT.turn}`,
  );
});

test("answers that a client takes bit by bit leave nothing behind at its connection", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  const stream = new Socket();
  const client = await newClient({ stream: () => stream });
  for (let answer = 0; answer < 12; answer++) {
    const answered = client.query("select repeat('x', 8000000)");
    stream.pause();
    setTimeout(() => stream.resume(), 20);
    await answered;
  }
  // A warning comes with the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a connection that never begins is closed", async () => {
  const socket = await newSocket();
  socket.resume().write(startup().subarray(0, 5));
  await once(socket, "close");
});

test("one client too many is told so and cut off, as often as it tries; those inside notice nothing, and whoever leaves makes room", async () => {
  const inside: pg.Client[] = [];
  while (inside.length < TIGHT.clients) inside.push(await newClient());
  for (let attempt = 0; attempt < 2 * TIGHT.clients; attempt++) {
    await expect(newClient()).rejects.toMatchObject({ code: "53300", message: "sorry, too many clients already" });
  }
  const stubborn = await newSocket();
  const answers = recordAnswers(stubborn);
  stubborn.write(startup());
  await answers.until("E");
  if (!stubborn.closed) await once(stubborn, "close");
  for (const client of inside) expect(await numberOf(client, { text: "select 1 as n" })).toBe(1);
  await inside[0]?.end();
  await expect.poll(() => newClient().then(() => "let in", String)).toBe("let in");
});

test("a first packet with a length that cannot be is refused", async () => {
  for (const length of [-1, 0, 7, 20_000]) {
    const socket = await newSocket();
    const packetOfLength = startup();
    packetOfLength.writeInt32BE(length, 0);
    socket.resume().write(packetOfLength);
    await once(socket, "close");
  }
});

test("messages that arrive byte by byte are answered like any other", async () => {
  const { socket, answers } = await connected();
  for (const byte of packet("Q", "select 10\0")) {
    socket.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  expect(await answers.until("Z")).toBe("TDCZ");
});

test("a database that throws or falls silent has ended: that is said, its clients are let go, and nobody gets in any more", async () => {
  const own = await copyOfDatabase();
  const connectTo = async ({ host, port }: SocketServer) => {
    const client = new pg.Client({ host, port, user: "postgres" });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const throwing = await servePGlite(own, "127.0.0.1");
  const [asking, idle] = [await connectTo(throwing), await connectTo(throwing)];
  const letGo = new Promise<void>((resolve) => idle.once("end", resolve));
  vi.spyOn(own, "execProtocolRaw").mockRejectedValueOnce(new Error("unreachable"));
  await expect(asking.query("select 1")).rejects.toThrow("terminated");
  await letGo;
  expect((await throwing.failed).message).toBe("PGlite has ended: unreachable");
  await expect(connectTo(throwing)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await throwing.stop();

  const silent = await servePGlite(own, "127.0.0.1");
  const client = await connectTo(silent);
  // Recursion without end overflows the stack of WebAssembly, which PGlite does not survive.
  await client.query("create function endless(n int) returns int language sql as 'select endless($1 + 1)'");
  await expect(client.query("select endless(1)")).rejects.toThrow("terminated");
  expect((await silent.failed).message).toBe("PGlite answers no more");
  await silent.stop();
});

test("stopping rolls back what is open, closes every connection and leaves the database to be closed", async () => {
  const own = await copyOfDatabase();
  const stopping = await servePGlite(own, "127.0.0.1");
  const client = new pg.Client({ host: stopping.host, port: stopping.port, user: "postgres" });
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  client.on("error", () => {});
  await client.connect();
  await client.query("create table kept (n int)");
  await client.query("begin; insert into kept values (1)");
  await stopping.stop();
  await ended;
  expect((await own.query("select * from kept")).rows).toEqual([]);
  await own.close();
});

test("psql looks around, restores a dump and copies out; what it cannot do is an error", async (context) => {
  needsProgram(context, "psql");
  const script = [
    "create table dumped (id int primary key, note text);",
    "copy dumped (id, note) from stdin;",
    "1\tone",
    "\\.",
    "insert into dumped values (2, 'two');",
    "set time zone 'Asia/Tokyo';",
    "\\d dumped",
    "\\dn",
    "\\du",
    "copy dumped to stdout;",
  ].join("\n");
  const app = await newClient();
  const { stdout, stderr } = await runPsql(script);
  expect(stderr.match(/ERROR: .*/g)).toEqual([expect.stringContaining("takes no data this way; use INSERT")]);
  expect(stdout).toContain('"dumped_pkey" PRIMARY KEY, btree (id)');
  expect(stdout).toContain("List of schemas");
  expect(stdout).toMatch(/2\ttwo\n$/);
  expect((await app.query("show time zone")).rows[0].TimeZone).toBe("UTC");
});

/** Runs a script of psql on this server. */
async function runPsql(script: string): Promise<{ stdout: string; stderr: string }> {
  const child = spawn("psql", ["--no-psqlrc", `postgresql://postgres@${server.host}:${server.port}/postgres`], {
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.end(script);
  await once(child, "close");
  return { stdout, stderr };
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
