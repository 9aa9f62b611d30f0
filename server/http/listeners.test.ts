import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { listen } from "../listen.mjs";
import { createGuardedServer, TIMES } from "./connections.mjs";
import { addListeners, closeListeners, listenersOf } from "./listeners.mjs";

const CONNECTIONS = 60;
/** More than Node lets wait by default. */
const CROWD = 700;
/** In bytes: the most that Node takes from a connection at once. */
const ONE_READ = 64 * 1024;
const LONG = "x".repeat(1_000_000);
/** Where Linux says of each port how many connections wait. */
const SOCKETS = "/proc/net/tcp";

const servers: Server[] = [];
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  for (const server of servers.splice(0)) for (const listener of listenersOf(server)) listener.close();
});

async function startServer(server = createServer((_, response) => response.end("answered"))): Promise<Server> {
  servers.push(server);
  await listen(server, 0, "127.0.0.1");
  return server;
}

async function ask(server: Server): Promise<string> {
  const client = open(server);
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const [chunk] = await once(client, "data");
  return String(chunk).slice(0, "HTTP/1.1 200".length);
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function open(server: Server): Socket {
  const client = connect(portOf(server), "127.0.0.1").on("error", () => {});
  clients.push(client);
  return client;
}

test("a turn of the event loop takes several new connections, so that a burst holds nobody up for long", async () => {
  const server = await startServer();
  await addListeners(server);
  let taken = 0;
  server.on("connection", () => taken++);
  const connected = Promise.all(Array.from({ length: CONNECTIONS }, () => once(open(server), "connect")));
  let turns = 0;
  while (taken < CONNECTIONS) {
    await nextTurn();
    turns++;
  }
  await connected;
  // One listener would need a turn for each.
  expect(turns).toBeLessThan(CONNECTIONS / 2);
});

test("a crowd that connects within one turn of the event loop waits, all of it, until it is taken", async ({
  task,
  skip,
}) => {
  if (!existsSync(SOCKETS)) task.meta.skipped = `no ${SOCKETS}`;
  skip(!existsSync(SOCKETS));
  const server = await startServer();
  await addListeners(server);
  const connected = Array.from({ length: CROWD }, () => once(open(server), "connect"));
  // Clients connect before the next turn, in which listeners take them.
  const waiting = await new Promise((resolve) => process.nextTick(() => resolve(readWaiting(portOf(server)))));
  expect(waiting).toBe(CROWD);
  await Promise.all(connected);
});

/** How many connections wait at a port to be taken, as the system counts them. */
function readWaiting(port: number): number {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const isListening = new RegExp(`${address} 00000000:0000 0A \\w+:(\\w+)`);
  return Number.parseInt(isListening.exec(readFileSync(SOCKETS, "utf8"))?.[1] ?? "", 16);
}

test("whichever listener takes a connection, its request is answered; once all are closed, nobody is", async () => {
  const server = await startServer();
  await addListeners(server);
  const listeners = listenersOf(server);
  expect(listeners).toHaveLength(8);
  const answers = Array.from({ length: CONNECTIONS }, () => ask(server));
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 200"]));
  const port = portOf(server);
  await closeListeners(server);
  const [error] = await once(connect(port, "127.0.0.1"), "error");
  expect(error.code).toBe("ECONNREFUSED");
});

test("of a body that nobody reads yet the server takes what came first and no more, whichever listener took its connection", async () => {
  const server = await startServer(createGuardedServer(TIMES));
  await addListeners(server);
  const requests: IncomingMessage[] = [];
  server.on("request", (request) => requests.push(request));
  for (let count = 0; count < CONNECTIONS; count++) {
    open(server).write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG}`);
  }
  await expect.poll(() => requests.filter(({ readableLength }) => readableLength > 0).length).toBe(CONNECTIONS);
  await sleep(100);
  expect(Math.max(...requests.map(({ readableLength }) => readableLength))).toBeLessThanOrEqual(ONE_READ);
});

test("while listeners are added, every connection is answered", async () => {
  const server = await startServer();
  let isAdding = true;
  const adding = addListeners(server).then(() => (isAdding = false));
  const answers: Promise<string>[] = [];
  while (isAdding) {
    answers.push(ask(server));
    await nextTurn();
  }
  await adding;
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 200"]));
});

test("a server that ends while listeners are added gives its port back at once", async () => {
  for (let wait = 0; wait < 100; wait += 10) {
    const server = await startServer();
    const port = portOf(server);
    const adding = addListeners(server);
    await new Promise((resolve) => setTimeout(resolve, wait));
    await closeListeners(server);
    await adding;
    const [error] = await once(connect(port, "127.0.0.1"), "error");
    expect(error.code, `${wait} ms`).toBe("ECONNREFUSED");
  }
});
