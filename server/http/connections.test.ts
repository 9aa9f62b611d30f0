import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { median } from "@/bench/rounds";
import { HeldBytes } from "@/lib/admission/bodies";
import { ApiError } from "@/lib/api/api-error";
import { TextResponse } from "@/lib/http/text-response";
import { receive } from "@/lib/ingest/bounded-body";
import { reportEndpoint } from "@/lib/ingest/endpoint";
import { answerDirectly } from "../direct/direct-door.mjs";
import { IncomingRequest, piecesOfBody } from "../direct/incoming.mjs";
import { send } from "../direct/outgoing.mjs";
import { createGuardedServer, earlierAnswers, TIMES } from "./connections.mjs";

/** More than any kernel keeps for a socket. */
const WEEK = JSON.stringify(Array.from({ length: 400_000 }, (_, n) => [n, "an interval of a week"]));
const MEGABYTE = "x".repeat(1_000_000);
const HEAD = "GET /week HTTP/1.1\r\nHost: x\r\n\r\n";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server with the production's own connections and answers, but with times that a test can wait for. */
async function serve(
  times: Partial<typeof TIMES>,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<number> {
  const server = createGuardedServer({ ...TIMES, check: 20, ...times });
  for (const event of ["request", "checkContinue"]) {
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === "/other") response.end("still here");
      else answer(request, response);
    });
  }
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A connection on which this was sent, and everything that came back. */
async function open(port: number, bytes: string) {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  socket.write(bytes);
  return { socket, closed, listen: () => socket.on("data", (chunk) => (text += chunk)), text: () => text };
}

async function expectOthersAnswered(port: number): Promise<void> {
  expect(await (await fetch(`http://127.0.0.1:${port}/other`)).text()).toBe("still here");
}

/** Something to wait for, and what says that it is there. */
function moment() {
  let happens: () => void = () => {};
  const happened = new Promise<void>((resolve) => {
    happens = resolve;
  });
  return { happened, happens };
}

/** Sends the week and says when its room was given back. */
function sendWeek(readingMs?: number) {
  const { happened: freed, happens: free } = moment();
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void send(new TextResponse([WEEK], 200, new Headers(), free), request, response, [], readingMs);
  return { answer, freed };
}

const sendAhead = (count: number) =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");

test("a client that takes nothing of its answer is cut off after the silence, its room is free again, and others are answered meanwhile", async () => {
  const { answer, freed } = sendWeek();
  const port = await serve({ silence: 1_000 }, answer);
  const { socket, closed } = await open(port, HEAD);
  await once(socket, "readable");
  await expectOthersAnswered(port);
  await freed;
  // Only who reads on notices: what the kernel kept, and then the end.
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(WEEK.length);
});

test("a client that takes its answer bit by bit is cut off when the time for the whole is over, and others are answered meanwhile", async () => {
  const { answer, freed } = sendWeek(600);
  const port = await serve({}, answer);
  const { socket, closed } = await open(port, HEAD);
  const started = performance.now();
  const reading = setInterval(() => socket.read(), 20);
  await expectOthersAnswered(port);
  await freed;
  clearInterval(reading);
  expect(performance.now() - started).toBeGreaterThan(550);
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(WEEK.length);
});

test("a client that takes its answer in time gets it whole", async () => {
  const { answer, freed } = sendWeek(60_000);
  const port = await serve({ silence: 60_000 }, answer);
  expect(await (await fetch(`http://127.0.0.1:${port}/week`)).text()).toBe(WEEK);
  await freed;
});

test.each([
  ["as it is", ""],
  ["compressed", "Accept-Encoding: gzip\r\n"],
])("an answer that waits behind another one, %s, gives its room back when the client leaves", async (_, header) => {
  const [first, second] = [sendWeek(), sendWeek()];
  const { happened: begun, happens: begin } = moment();
  const port = await serve({}, (request, response) => {
    if (request.url === "/week") return first.answer(request, response);
    second.answer(request, response);
    begin();
  });
  const { socket } = await open(port, `${HEAD}GET /second HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  await Promise.all([begun, once(socket, "readable")]);
  socket.destroy();
  await Promise.all([first.freed, second.freed]);
});

test("a handler is told that its client went away, and nothing of a connection that ends after the answer", async () => {
  const signals: AbortSignal[] = [];
  const { happened: begun, happens: begin } = moment();
  const port = await serve({}, (request, response) => {
    signals.push(new IncomingRequest(request, response, "http://localhost/").asRequest().signal);
    if (request.url === "/answered") return response.end("answer");
    begin();
  });
  const { socket } = await open(port, "GET /answered HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "data");
  socket.write(HEAD);
  await begun;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  const told = once(signals[1] as AbortSignal, "abort");
  socket.destroy();
  await told;
  expect(signals[0]?.aborted).toBe(false);
});

test.each(["identity", "gzip"])(
  "a long text in parts arrives whole whatever its script, sent with %s",
  async (coding) => {
    const parts = ["x".repeat(65_535), "é".repeat(100_000), "", "€ and 😀 ".repeat(30_000), "end"];
    const port = await serve({}, (request, response) =>
      send(new TextResponse(parts, 200, new Headers()), request, response, []),
    );
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { "Accept-Encoding": coding } });
    expect(answer.headers.get("content-encoding")).toBe(coding === "gzip" ? "gzip" : null);
    expect(await answer.text()).toBe(parts.join(""));
  },
);

test.each([
  ["the head of a request", "GET /api/v1/me HTTP/1.1\r\nHost: x\r\nAccept: appl"],
  [
    "the body of a request whose handler waits for it",
    "POST /api/v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
  ],
])("%s that never comes whole is 408 once its time is over, and others are answered meanwhile", async (_, bytes) => {
  const port = await serve({ headers: 1_000, request: 1_500 }, (request, response) => {
    request.resume().once("end", () => response.end());
    request.once("error", () => {});
  });
  const half = await open(port, bytes);
  half.listen();
  await expectOthersAnswered(port);
  await half.closed;
  expect(half.text()).toMatch(/^HTTP\/1\.1 408 /);
  expect(half.text().split("\r\n\r\n")[1]).toBe('{"error":"Request Timeout."}');
});

test("a body that goes on after its answer is read away for a while and then cut off, and others are answered meanwhile", async () => {
  const port = await serve({ discarding: 200 }, (_, response) => response.end("refused"));
  const endless = await open(port, "POST /api/v1/me HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  endless.listen();
  const writing = setInterval(() => endless.socket.write(`400\r\n${"x".repeat(1024)}\r\n`), 10);
  await expectOthersAnswered(port);
  await endless.closed;
  clearInterval(writing);
  expect(endless.text()).toMatch(/^HTTP\/1\.1 200 .*refused$/s);
});

const BROKEN = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nrubbish";

test.each([
  ["breaks off", "Content-Length: 20\r\n\r\n{}", true],
  ["breaks off after a chunk", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", true],
  ["has a chunk that is none", `${BROKEN}\r\n`, false],
  ["has a chunk that is none, behind which it goes on", `${BROKEN}\r\n${"x".repeat(100_000)}`, false],
])(
  "a body that %s is 400 at once and once, behind the answers before it, and its handler is told",
  async (_, rest, ends) => {
    let tell: (fault: unknown) => void = () => {};
    const fault = new Promise((resolve) => {
      tell = resolve;
    });
    const port = await serve({}, async (request, response) => {
      const standard = new IncomingRequest(request, response, "http://localhost/").asRequest();
      await receive(standard, new HeldBytes(1), 1_000_000).then(tell, tell);
    });
    const client = await open(
      port,
      `GET /other HTTP/1.1\r\nHost: x\r\n\r\nPOST /ingest/x HTTP/1.1\r\nHost: x\r\n${rest}`,
    );
    client.listen();
    if (ends) client.socket.end();
    await client.closed;
    expect(client.text().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
    expect(client.text()).toContain('{"error":"Bad Request."}');
    expect(await fault).toMatchObject({ status: 400, message: "The body broke off." });
  },
);

/** 64 KB on the wire. */
const SMALL_CHUNKS = "1\r\nx\r\n".repeat(10_923);
const CHUNKED = "POST /ingest/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

test("a body in small chunks is 400 in a sentence once it has over a thousand, before it is whole, its rest is read away, and others are answered meanwhile", async () => {
  let read = 0;
  const { happened: given, happens: giveUp } = moment();
  const port = await serve({ discarding: 60_000 }, async (request) => {
    try {
      for await (const { length } of request) read += length;
    } catch {
      giveUp();
    }
  });
  const client = await open(port, CHUNKED);
  client.listen();
  const writing = setInterval(() => client.socket.write(SMALL_CHUNKS), 1);
  await expect.poll(client.text).toContain('{"error":"The body came in too many small chunks."}');
  await expectOthersAnswered(port);
  clearInterval(writing);
  client.socket.end();
  await Promise.all([client.closed, given]);
  expect(client.text().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
  expect(read).toBeLessThan(1_100);
});

test.each([
  ["a thousand chunks of one byte", 1, 1_000],
  ["chunks of 240 bytes", 240, 4_369],
])("a body in %s is read whole", async (_, bytes, count) => {
  const port = await serve({}, async (request, response) => {
    let read = 0;
    for await (const { length } of request) read += length;
    response.end(`read ${read}`);
  });
  const client = await open(port, CHUNKED);
  client.listen();
  client.socket.write(`${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`.repeat(count));
  client.socket.write("0\r\n\r\n");
  await expect.poll(client.text).toContain(`read ${bytes * count}`);
});

test("a body in chunks of one byte costs under 10 ms until it is refused, and the next body of its parser is read whole", async () => {
  const port = await serve({}, (request, response) => {
    let read = 0;
    request.on("data", ({ length }) => (read += length)).once("end", () => response.end(`read ${read}`));
    request.once("error", () => {});
  });
  const costs: number[] = [];
  while (costs.length < 20) {
    const before = process.cpuUsage();
    const refused = await open(port, `${CHUNKED}${SMALL_CHUNKS}`);
    refused.listen();
    await expect.poll(refused.text, { interval: 1 }).toContain("too many small chunks");
    refused.socket.destroy();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1_000);
    const next = await open(port, `${CHUNKED}2\r\n{}\r\n0\r\n\r\n`);
    next.listen();
    await expect.poll(next.text, { interval: 1 }).toContain("read 2");
    next.socket.destroy();
  }
  expect(median(costs)).toBeLessThan(10);
});

test("chunks that nobody reads yet wait in the client, however small they are", async () => {
  const { happened: asked, happens: ask } = moment();
  let received: IncomingMessage | undefined;
  const port = await serve({}, (request) => {
    received = request;
    ask();
  });
  const client = await open(port, CHUNKED);
  await asked;
  const chunk = `1000\r\n${"x".repeat(4_096)}\r\n`;
  for (let sent = 0; sent < 1_000; sent++) {
    client.socket.write(chunk);
    await new Promise(setImmediate);
  }
  expect(received?.readableLength).toBeLessThan(100_000);
});

test("small chunks that come after an answer are read away as bytes, and their sender reads the answer", async () => {
  const times = { discarding: 600_000, request: 600_000 };
  const port = await serve(times, (_, response) => response.writeHead(503).end("refused"));
  const client = await open(port, CHUNKED);
  client.listen();
  let isClosed = false;
  void client.closed.then(() => (isClosed = true));
  for (let sent = 0; !isClosed; sent += SMALL_CHUNKS.length) {
    expect(sent).toBeLessThan(40_000_000);
    await Promise.race([client.closed, new Promise((resolve) => client.socket.write(SMALL_CHUNKS, resolve))]);
    await new Promise(setImmediate);
  }
  expect(client.text()).toMatch(/^HTTP\/1\.1 503 .*refused/s);
});

test("the pieces of a body are freed one by one, the last one as well when its reader stops", async () => {
  const pieces: Buffer[] = [];
  const isFreed: boolean[] = [];
  const port = await serve({}, async (request, response) => {
    for await (const piece of piecesOfBody(request)) {
      isFreed.push(pieces.every((before) => before.length === 0) && piece.length > 0);
      if (pieces.push(piece) === 3) break;
    }
    response.end("read");
  });
  const client = await open(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n");
  client.listen();
  client.socket.write(MEGABYTE);
  await client.closed;
  expect(client.text()).toContain("read");
  expect(isFreed).toEqual([true, true, true]);
  expect(pieces.map(({ length }) => length)).toEqual([0, 0, 0]);
});

test("a body that goes on after its reader has given it up is cut off as well", async () => {
  const port = await serve({ discarding: 200 }, async (request, response) => {
    for await (const _ of piecesOfBody(request)) break;
    response.end("refused");
  });
  const endless = await open(port, "POST /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  endless.listen();
  const writing = setInterval(() => endless.socket.write(`400\r\n${"x".repeat(1024)}\r\n`), 10);
  await endless.closed;
  clearInterval(writing);
  expect(endless.text()).toMatch(/^HTTP\/1\.1 200 .*refused$/s);
});

/** A client that reads nothing before it has sent all of its body, in pieces, for half a second. Answers what it then reads. */
async function sendAllThenRead(port: number, head: string): Promise<{ text: string; faults: string[] }> {
  const client = await open(port, head);
  const faults: string[] = [];
  client.socket.on("error", ({ message }) => faults.push(message));
  for (let sent = 0; sent < PIECES; sent++) {
    client.socket.write("x".repeat(MEGABYTE.length / PIECES));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  client.listen();
  await client.closed;
  return { text: client.text(), faults };
}
const PIECES = 50;

test.each([
  ["that asks for its end", `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n`, {}],
  ["that the server ends", `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`, { Connection: "close" }],
])(
  "on a connection %s, a body that is refused is read away, so that its sender reads the answer",
  async (_, head, headers) => {
    const port = await serve({}, (_request, response) => response.writeHead(503, headers).end("refused"));
    const { text, faults } = await sendAllThenRead(port, head);
    expect(faults).toEqual([]);
    expect(text).toMatch(/^HTTP\/1\.1 503 .*refused/s);
  },
);

test("what follows headers that are too large is read away, so that their sender reads the answer", async () => {
  const port = await serve({}, (_request, response) => response.end());
  const { text, faults } = await sendAllThenRead(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(20_000)}`);
  expect(faults).toEqual([]);
  expect(text).toMatch(/^HTTP\/1\.1 431 /);
});

test("no request is read on a connection that the server has ended", async () => {
  const asked: (string | undefined)[] = [];
  const port = await serve({}, (request, response) => {
    asked.push(request.url);
    response.writeHead(503, { Connection: "close" }).end("refused");
  });
  const client = await open(port, "POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n");
  client.listen();
  await expect.poll(client.text).toContain("refused");
  client.socket.end("x".repeat(10) + sendAhead(3));
  await client.closed;
  expect(asked).toEqual(["/first"]);
});

test.each([
  ["the last answer", { Connection: "close" }],
  ["an answer", {}],
])("what comes after %s is read for its time and its bytes alone", async (_, headers) => {
  const answer = (_: IncomingMessage, response: ServerResponse) => response.writeHead(503, headers).end("refused");
  const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n";
  const slow = await open(await serve({ discarding: 200 }, answer), head);
  slow.listen();
  const writing = setInterval(() => slow.socket.write("x"), 10);
  await slow.closed;
  clearInterval(writing);
  expect(slow.text()).toContain("refused");
  const fast = await open(await serve({ discarding: 60_000 }, answer), head);
  let isClosed = false;
  void fast.closed.then(() => (isClosed = true));
  for (let sent = 0; !isClosed; sent++) {
    expect(sent).toBeLessThan(40);
    await Promise.race([fast.closed, new Promise((resolve) => fast.socket.write(MEGABYTE, resolve))]);
    await new Promise(setImmediate);
  }
});

test("a body that was answered before its time was over is answered once, and its connection ends with that time", async () => {
  const port = await serve({ request: 300, headers: 300, discarding: 60_000 }, (_, response) =>
    response.end("refused"),
  );
  const late = await open(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  late.listen();
  late.socket.write("x".repeat(100_000));
  await late.closed;
  expect(late.text().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
});

test("a body that ends after its answer leaves the connection for the next request", async () => {
  const port = await serve({ discarding: 60_000 }, (_, response) => response.end("refused"));
  const late = await open(port, "POST /api/v1/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  late.listen();
  await expect.poll(late.text).toContain("refused");
  late.socket.write("x".repeat(1_000_000));
  late.socket.write("GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await late.closed;
  expect(late.text()).toContain("still here");
});

test("a thousand connections that say nothing hold nobody up, and are closed after the silence", async () => {
  const port = await serve({ silence: 1_000 }, (_, response) => response.end());
  const idle = Array.from({ length: 1_000 }, () => connect(port, "127.0.0.1").resume());
  sockets.push(...idle);
  const closed = idle.map((socket) => once(socket, "close"));
  await Promise.all(idle.map((socket) => once(socket, "connect")));
  await expectOthersAnswered(port);
  await Promise.all(closed);
});

test("a connection that asks nothing more is closed after its time, and not before", async () => {
  const port = await serve({ keepAlive: 200 }, (_, response) => response.end("once"));
  const started = performance.now();
  const idle = await open(port, HEAD);
  idle.listen();
  await idle.closed;
  expect(idle.text()).toContain("once");
  expect(performance.now() - started).toBeGreaterThan(199);
});

test("of a hundred requests sent at once on one connection four are answered at a time, in their order, and others are answered meanwhile", async () => {
  let running = 0;
  let most = 0;
  let go: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const port = await serve({}, async (request, response) => {
    await earlierAnswers(request);
    most = Math.max(most, ++running);
    await gate;
    running--;
    response.end(`<${request.url}>`);
  });
  const crowd = await open(port, sendAhead(100));
  await expect.poll(() => running).toBe(4);
  await expectOthersAnswered(port);
  go();
  crowd.listen();
  const answers = () => crowd.text().match(/<.*?>/g) ?? [];
  await expect.poll(() => answers().length).toBe(100);
  expect(answers()).toEqual(Array.from({ length: 100 }, (_, n) => `</${n}>`));
  expect(most).toBe(4);
});

test("whoever sends ten thousand requests ahead of their answers is cut off, nearly all of them unanswered, and others are answered meanwhile", async () => {
  let answered = 0;
  const port = await serve({}, async (request, response) => {
    await earlierAnswers(request);
    answered++;
    setTimeout(() => response.end(), 50);
  });
  const crowd = await open(port, sendAhead(10_000));
  crowd.listen();
  await expectOthersAnswered(port);
  await crowd.closed;
  expect(answered).toBeLessThan(10);
});

test("a request that waits for its turn gets its body when the turn comes", async () => {
  const port = await serve({}, async (request, response) => {
    await earlierAnswers(request);
    let body = "";
    for await (const chunk of request) body += chunk;
    response.end(`<${request.method} ${body}>`);
  });
  const client = await open(port, "GET /week HTTP/1.1\r\nHost: x\r\n\r\n".repeat(9));
  client.socket.write("POST /week HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nConnection: close\r\n\r\nfir");
  client.listen();
  await expect.poll(() => client.text().match(/<GET >/g)?.length).toBe(9);
  client.socket.write("st!");
  await client.closed;
  expect(client.text()).toContain("<POST first!>");
});

const REPORT = "Host: x\r\nContent-Type: application/json\r\n";
const ANNOUNCED = `${REPORT}Content-Length: ${MEGABYTE.length}\r\n`;

test.each([
  ["refused by its length", `POST / HTTP/1.1\r\n${ANNOUNCED}\r\n`, MEGABYTE, ["413", "405"]],
  [
    "refused where it passes the bound",
    `POST / HTTP/1.1\r\n${REPORT}Transfer-Encoding: chunked\r\n\r\n`,
    `f4240\r\n${MEGABYTE}\r\n0\r\n\r\n`,
    ["413", "405"],
  ],
  ["of a request that is refused for another reason", `PUT / HTTP/1.1\r\n${ANNOUNCED}\r\n`, MEGABYTE, ["401", "405"]],
  ["of a GET", `GET / HTTP/1.1\r\n${ANNOUNCED}\r\n`, MEGABYTE, ["405", "405"]],
  ["that waits for leave and is refused", `PUT / HTTP/1.1\r\n${ANNOUNCED}Expect: 100-continue\r\n\r\n`, "", ["401"]],
  ["that waits for leave and is too large", `POST / HTTP/1.1\r\n${ANNOUNCED}Expect: 100-continue\r\n\r\n`, "", ["413"]],
  [
    "that waits for leave and is welcome",
    `POST / HTTP/1.1\r\n${REPORT}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
    "{}",
    ["100", "200", "405"],
  ],
])(
  "a body %s never stands where the next request is read: that one is answered, or the connection ends",
  async (_, head, body, expected) => {
    const { POST, GET } = reportEndpoint("/", async (request) => {
      if (request.headers.get("content-type") !== "application/json") throw new ApiError(415, "Send JSON.");
      const pages = await receive(request, new HeldBytes("a client"), 16_384);
      return { data: pages.whole().toString() };
    });
    const { POST: PUT } = reportEndpoint("/", async () => Promise.reject(new ApiError(401, "No key.")));
    const match = { handlers: { POST, GET, PUT }, params: {}, path: "/", pattern: "/" };
    const port = await serve(
      { discarding: 10_000 },
      (request, response) => void answerDirectly(match, request, response, []),
    );
    const client = await open(port, head);
    client.listen();
    client.socket.write(body);
    client.socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await client.closed;
    expect([...client.text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(expected);
  },
);
