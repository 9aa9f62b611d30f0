import dns from "node:dns";
import { createServer, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "@/e2e/support/free-port";
import { listen } from "@/e2e/support/listen";
import { NameServer } from "@/e2e/support/name-server";
import { NOTICE, startReceiver } from "@/e2e/support/receivers";
import { SECOND } from "@/lib/format/time";
import { ANSWER_WITHIN, MAX_ANSWER } from "./post";
import { mintWebhookSecret, send } from "./webhook";

const again = (reason: string) => ({ kind: "again", reason, arrived: "no" });
const secret = mintWebhookSecret();

const names = new NameServer();
const systemServers = dns.getServers();

beforeAll(async () => {
  dns.setServers([`127.0.0.1:${await names.listen("127.0.0.1")}`]);
});

afterAll(() => {
  dns.setServers(systemServers);
  names.close();
});

/** A receiver on loopback that answers as told. */
async function receiver(answer: Parameters<typeof startReceiver>[0]) {
  const started = await startReceiver(answer);
  onTestFinished(started.stop);
  return started;
}

function serve(handle: (socket: Socket) => void): Promise<number> {
  const server = createServer(handle);
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return listen(server);
}

type Options = { allowPrivate?: boolean; secrets?: string[]; signal?: AbortSignal; answerWithin?: number };

function sendTo(url: string, { secrets = [secret], ...attempt }: Options = {}) {
  return send({ url, secrets }, NOTICE, { signal: new AbortController().signal, allowPrivate: true, ...attempt });
}

test("a message is signed by Standard Webhooks, with both secrets during a replacement", async () => {
  const { received, port } = await receiver((response) => response.writeHead(204).end());
  const [newer, other] = [mintWebhookSecret(), mintWebhookSecret()];
  expect(await sendTo(`http://127.0.0.1:${port}/in?key=1`, { secrets: [newer, secret] })).toEqual({
    kind: "delivered",
  });
  const [{ headers, body } = { headers: {}, body: "" }] = received;
  const signed = headers as Record<string, string>;
  for (const each of [newer, secret]) {
    expect(new Webhook(each).verify(body, signed)).toMatchObject({ type: "notice", data: { title: NOTICE.title } });
  }
  expect(() => new Webhook(other).verify(body, signed)).toThrow();
  expect(() => new Webhook(secret).verify(`${body} `, signed)).toThrow();
  expect(() => new Webhook(secret).verify(body, { ...signed, "webhook-id": "msg_2" })).toThrow();
  expect(headers["webhook-id"]).toBe("msg_1");
  expect(headers["content-type"]).toBe("application/json");
  expect(Buffer.from(secret.slice("whsec_".length), "base64")).toHaveLength(32);
});

test("a repetition keeps id and body, and its signature has its own time", async () => {
  const { received, port } = await receiver((response) => response.writeHead(500).end());
  await sendTo(`http://127.0.0.1:${port}/`);
  await sendTo(`http://127.0.0.1:${port}/`);
  const [first, second] = received;
  expect(second?.body).toBe(first?.body);
  expect(JSON.parse(first?.body ?? "")).toMatchObject({ timestamp: NOTICE.at });
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  for (const one of received) {
    const age = Date.now() / 1000 - Number(one.headers["webhook-timestamp"]);
    expect(Math.abs(age)).toBeLessThan(60);
    expect(new Webhook(secret).verify(one.body, one.headers as Record<string, string>)).toBeTruthy();
  }
});

test.each([
  [200, { kind: "delivered" }],
  [202, { kind: "delivered" }],
  [400, again("It answered 400.")],
  [404, again("It answered 404.")],
  [500, again("It answered 500.")],
  [410, { kind: "refused", reason: "It answered 410: there is no receiver any more." }],
])("an answer of %d is %j", async (status, outcome) => {
  const { port } = await receiver((response) => response.writeHead(status, { "Retry-After": "7" }).end("words"));
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual(outcome);
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%d) is refused, and nobody is asked where it leads",
  async (status) => {
    const inside = await receiver((response) => response.end());
    const { port } = await receiver((response) =>
      response.writeHead(status, { Location: `http://127.0.0.1:${inside.port}/` }).end(),
    );
    expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual({
      kind: "refused",
      reason: `It answered ${status}, a redirect. The console follows none: give its new URL.`,
    });
    expect(inside.received).toEqual([]);
  },
);

test.each([
  ["30", 30],
  ["0", 0],
  ["999999999", 86_400],
  [new Date(Date.now() - 60_000).toUTCString(), 0],
  [new Date(Date.now() + 600_000).toUTCString(), expect.toSatisfy((wait: number) => wait > 500 && wait <= 600)],
  ["soon", undefined],
  ["-1", undefined],
])("Retry-After %j of a 429 or 503 is obeyed for a day at most", async (retryAfter, afterSeconds) => {
  for (const status of [429, 503]) {
    const { port } = await receiver((response) => response.writeHead(status, { "Retry-After": retryAfter }).end());
    expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual({
      ...again(`It answered ${status}.`),
      ...(afterSeconds !== undefined && { afterSeconds }),
    });
  }
});

test("a 200 web page counts as delivered, and its owner is told to look", async () => {
  const { port } = await receiver((response) =>
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end("<h1>500 Internal error</h1>"),
  );
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual({
    kind: "delivered",
    note: "It answered with a web page. See whether the URL is that of a receiver.",
  });
});

test("an endless answer is read up to 64 KB, and its status counts", async () => {
  let sent = 0;
  let isCut = false;
  const { port } = await receiver((response) => {
    response.on("close", () => (isCut = true));
    const pour = () => {
      while (!isCut && sent < 64 * MAX_ANSWER) {
        sent += 1024;
        if (!response.write("x".repeat(1024))) return void response.once("drain", pour);
      }
    };
    pour();
  });
  const began = performance.now();
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual({ kind: "delivered" });
  expect(performance.now() - began).toBeLessThan(ANSWER_WITHIN);
  await expect.poll(() => isCut).toBe(true);
});

const LATE = { kind: "again", reason: "It did not answer within 0.2 seconds." };
const SOON = { answerWithin: SECOND / 5 };

setFlagsFromString("--expose-gc");
test("a silent receiver, connection or name server is given up after five seconds", async () => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    runInNewContext("gc")();
    socket
      .resume()
      .on("error", () => {})
      .on("close", () => sockets.delete(socket));
  };
  const silent = await serve(keep);
  const dripping = await serve((socket) => {
    keep(socket);
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("X-Drop: 1\r\n"), 100);
    socket.on("close", () => clearInterval(timer));
  });
  names.answers.set("silent.example.com", "silent");
  const outcomes = await Promise.all([
    sendTo(`http://127.0.0.1:${silent}/`, SOON),
    sendTo(`https://127.0.0.1:${silent}/`, SOON),
    sendTo(`http://127.0.0.1:${dripping}/`, SOON),
    sendTo("https://silent.example.com/"),
  ]);
  expect(outcomes.slice(0, 3)).toEqual([LATE, LATE, LATE]);
  expect(outcomes[3]).toEqual(again("silent.example.com cannot be found in DNS."));
  expect(ANSWER_WITHIN).toBe(5 * SECOND);
  await expect.poll(() => sockets.size).toBe(0);
});

test("a status counts even if its body hangs until the time is over", async () => {
  const { port } = await receiver((response) => response.writeHead(200).write("x"));
  // Long enough for the status to arrive on a busy machine.
  expect(await sendTo(`http://127.0.0.1:${port}/`, { answerWithin: SECOND })).toEqual({ kind: "delivered" });
});

test("a console that stops does not wait for a receiver", async () => {
  const { received, port } = await receiver(() => {});
  const ending = new AbortController();
  const outcome = sendTo(`http://127.0.0.1:${port}/`, { signal: ending.signal });
  await expect.poll(() => received.length).toBe(1);
  ending.abort();
  expect(await outcome).toEqual({ kind: "again", reason: "The console was stopped while it sent this." });
});

test("what is no web server, and what hangs up, is told in a sentence", async () => {
  for (const [answer, reason] of [
    [(socket: Socket) => socket.end("220 mail ready\r\n"), "It answers, but not as a web server does."],
    [(socket: Socket) => socket.destroy(), "It ended the connection without an answer."],
  ] as const) {
    const port = await serve((socket) => void answer(socket.resume().on("error", () => {})));
    expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual({ kind: "again", reason });
  }
  expect(await sendTo(`http://127.0.0.1:${await freePort()}/`)).toEqual(
    again("Nothing answers there: the connection was refused."),
  );
});

const INSIDE = (host: string) => ({
  kind: "refused",
  reason: `${host} leads into a private network, where the console sends nothing.`,
});

test("a name with one private ip among its answers is refused without connecting", async () => {
  const { received, port } = await receiver((response) => response.end());
  for (const ips of [
    ["127.0.0.1"],
    ["192.0.2.1", "127.0.0.1"],
    ["127.0.0.1", "192.0.2.1"],
    ["0.0.0.0"],
    ["192.0.2.1", "0:0:0:0:0:0:0:1"],
    ["192.0.2.1", "0:0:0:0:0:ffff:7f00:1"],
    ["2001:db8:0:0:0:0:0:1", "fd00:0:0:0:0:0:0:1"],
    ["2001:db8:0:0:0:0:0:1", "10.0.0.1"],
  ]) {
    names.answers.set("two.example.com", ips);
    expect(await sendTo(`http://two.example.com:${port}/`, { allowPrivate: false })).toEqual(INSIDE("two.example.com"));
  }
  expect(received).toEqual([]);
  for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]"]) {
    expect(await sendTo(`http://${host}:${port}/`, { allowPrivate: false })).toMatchObject({ kind: "refused" });
  }
  expect(received).toEqual([]);
  names.answers.set("two.example.com", ["127.0.0.1"]);
  expect(await sendTo(`http://two.example.com:${port}/`)).toEqual({ kind: "delivered" });
  expect(received[0]?.headers.host).toBe(`two.example.com:${port}`);
});

test("DNS is asked once, and the connection goes to the checked ip", async () => {
  const { received, port } = await receiver((response) => response.end());
  let asked = 0;
  const answers = { get: () => (asked++ === 0 ? ["192.0.2.1"] : ["127.0.0.1"]) };
  Object.defineProperty(names.answers, "get", { value: answers.get, configurable: true });
  const ending = new AbortController();
  const outcome = sendTo(`http://changing.example.com:${port}/`, { allowPrivate: false, signal: ending.signal });
  await expect.poll(() => asked).toBeGreaterThan(0);
  expect((await outcome).kind).toBe("again");
  Reflect.deleteProperty(names.answers, "get");
  expect(received).toEqual([]);
  // For IPv4 and for IPv6.
  expect(asked).toBe(2);
});

test.each(["NXDOMAIN", "SERVFAIL", "no ip"] as const)(
  "a name that DNS answers with %j gets nothing and is retried",
  async (said) => {
    names.answers.set("unknown.example.com", said === "NXDOMAIN" || said === "SERVFAIL" ? said : []);
    expect(await sendTo("https://unknown.example.com/")).toEqual(again("unknown.example.com cannot be found in DNS."));
  },
);
