// Sends requests and measures how long the answers take. It runs as a separate process, so that its work delays nothing
// else. It uses bare sockets, because an HTTP client costs more than the server under test. Each socket has one request at a
// time.
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What to ask for some time. */
export type Order = {
  port: number;
  /** `{token}` in it is the token, which is then in no header. */
  path: string;
  /** A JSON text to send with POST; without it and `bodies`: GET. */
  body?: string;
  /** One body in base64 to send with POST, again and again. */
  payload?: string;
  /** Bodies in base64 to send with POST: the first one with every token, then the second one, and so on. */
  bodies?: readonly string[];
  /** Ends after so many requests. */
  requests?: number;
  /** Used in turn, so that no token reaches its limit. Empty: no token is sent. */
  tokens: readonly string[];
  /** The content type of the body, if it is not JSON. */
  contentType?: string;
  /** Further headers, each a line; `{n}` in them is another hexadecimal number each time. */
  headers?: readonly string[];
  /** The expected status. Another status ends the benchmark. "any": every status is only counted. */
  status: number | "any";
  /** Keeps every 200 unread, and the connection with it. */
  isUnread?: boolean;
  connections: number;
  /** Begins so much later; 0 by default. */
  startMs?: number;
  ms: number;
  /** The pause between an answer and the next request of the connection. */
  pauseMs: number;
};

/** Times are milliseconds from the request to the end of its answer. */
export type Measured = {
  answers: number;
  perSecond: number;
  medianMs: number;
  p95Ms: number;
  p99Ms: number;
  longestMs: number;
  /** Answers with 429 or 5xx; they count as answers, too. */
  refused: number;
};

/** An answer that takes longer counts as lost. */
const SILENCE_MS = 30_000;

let sent = 0;
let refused = 0;

async function carryOut(order: Order): Promise<Measured> {
  refused = 0;
  const times: number[] = [];
  await pause(order.startMs ?? 0);
  const start = performance.now();
  const until = start + order.ms;
  const requests = requestsOf(order);
  await Promise.all(Array.from({ length: order.connections }, () => askServer(order, requests, until, times)));
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return {
    answers: times.length,
    perSecond: times.length / seconds,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    longestMs: at(1),
    refused,
  };
}

/** The requests of an order, one after the other. */
function* requestsOf(order: Order): Generator<string | Buffer> {
  const { path, body, tokens, requests = Number.POSITIVE_INFINITY } = order;
  const bodies = order.bodies?.map((encoded) => Buffer.from(encoded, "base64"));
  const payload = order.payload === undefined ? undefined : Buffer.from(order.payload, "base64");
  const type = order.contentType ?? "application/json";
  for (let count = 0; count < requests; count++) {
    const round = bodies?.[Math.floor(count / tokens.length)];
    if (bodies && !round) throw new Error(`There are too few bodies for ${path}.`);
    const token = tokens[(bodies ? count : sent) % tokens.length];
    sent++;
    const isInPath = path.includes("{token}");
    const authorization = token && !isInPath ? `Authorization: Bearer ${token}\r\n` : "";
    const further = (order.headers ?? []).map((line) => `${line.replace("{n}", (sent % 255).toString(16))}\r\n`);
    const content = round ?? payload ?? body;
    const described =
      content === undefined ? "" : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(content)}\r\n`;
    const method = content === undefined ? "GET" : "POST";
    const head = `${method} ${path.replace("{token}", token ?? "")} HTTP/1.1\r\nHost: localhost\r\n${authorization}${further.join("")}${described}\r\n`;
    yield typeof content === "object" ? Buffer.concat([Buffer.from(head), content]) : head + (content ?? "");
  }
}

function askServer(order: Order, requests: Iterator<string | Buffer>, until: number, times: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(order.port, "127.0.0.1").setNoDelay(true);
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`No answer from ${order.path}.`)));
    let [head, missing, start] = ["", -1, 0];
    const ask = () => {
      try {
        start = performance.now();
        const next = start < until ? requests.next() : undefined;
        if (!next || next.done) {
          socket.destroy();
          return resolve();
        }
        [head, missing] = ["", -1];
        socket.write(next.value);
      } catch (error) {
        reject(error);
      }
    };
    socket.on("connect", ask);
    socket.on("data", (chunk) => {
      if (missing >= 0) {
        missing -= chunk.length;
      } else {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        const status = Number(head.slice(9, 12));
        if (status === 429 || status >= 500) refused++;
        if (order.isUnread && status === 200) {
          socket.pause();
          setTimeout(() => socket.destroy(), until - performance.now());
          return resolve();
        }
        if (order.status !== "any" && status !== order.status) {
          return reject(new Error(`${order.path} answered ${head.slice(0, end).split("\r\n")[0]}.`));
        }
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end + 2))?.[1]);
        missing = length - (head.length - end - 4);
      }
      if (missing > 0) return;
      times.push(performance.now() - start);
      if (order.pauseMs > 0) setTimeout(ask, order.pauseMs);
      else ask();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`${order.path} was cut off.`)));
  });
}

process.once("disconnect", () => process.exit());
process.on("message", async (order: Order) => {
  const answer = await carryOut(order).catch((error: unknown) => ({ error: String(error) }));
  process.send?.(answer);
});
process.send?.("ready");
