import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import type pg from "pg";
import { expect, test, vi } from "vitest";
import { connectTo, numberOf, packet, recordAnswers, servedDatabase, startup, TIGHT } from "@/e2e/support/embedded";
import { needsProgram } from "@/e2e/support/unit-needs";
import { servePGlite } from "./socket-server";

// What clients send wrong, too much or too slowly, how the server ends, and psql.

const { url, newClient, newSocket, connected, copyOfDatabase } = servedDatabase();

test("COPY from the client is an error, and the client goes on", async () => {
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

test("a client sending too much before a Sync is cut off and rolled back", async () => {
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

test("a message too large is refused by its length, before it arrives", async () => {
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

test("a client too many is refused until one leaves, and others notice nothing", async () => {
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

test("a database that throws or hangs has ended, releases clients and admits nobody", async () => {
  const own = await copyOfDatabase();
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

test("stopping rolls back open work and closes connections, but not the database", async () => {
  const own = await copyOfDatabase();
  const stopping = await servePGlite(own, "127.0.0.1");
  const client = await connectTo(stopping);
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  await client.query("create table kept (n int)");
  await client.query("begin; insert into kept values (1)");
  await stopping.stop();
  await ended;
  expect((await own.query("select * from kept")).rows).toEqual([]);
  await own.close();
});

test("psql looks around, restores a dump and copies out, and other uses are errors", async (context) => {
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
  const child = spawn("psql", ["--no-psqlrc", url()], {
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.end(script);
  await once(child, "close");
  return { stdout, stderr };
}
