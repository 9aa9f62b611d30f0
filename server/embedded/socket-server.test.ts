import { once } from "node:events";
import { Socket } from "node:net";
import type pg from "pg";
import { expect, test, vi } from "vitest";
import { connectTo, numberOf, recordAnswers, servedDatabase, startup, TIGHT } from "@/e2e/support/embedded";
import { servePGlite } from "./socket-server";

// Clients too many or too slow, and how the server ends.

const { newClient, newSocket, copyOfDatabase } = servedDatabase();

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

test("encryption is declined, and COPY from the client is an error: both go on", async () => {
  const socket = await newSocket();
  for (const code of [80_877_104, 80_877_103]) {
    const request = Buffer.alloc(8);
    request.writeInt32BE(8);
    request.writeInt32BE(code, 4);
    socket.write(request);
    expect(String((await once(socket, "data"))[0])).toBe("N");
  }
  const answers = recordAnswers(socket);
  socket.write(startup());
  await answers.until("Z");
  const client = await newClient();
  await client.query("create table numbers (n int)");
  await expect(client.query("copy numbers from stdin")).rejects.toThrow("takes no data this way; use INSERT");
  expect(await numberOf(client, { text: "select 1 as n" })).toBe(1);
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
