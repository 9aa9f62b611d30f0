// What happens on a connection apart from its requests: bytes that are no request, bodies that nobody reads, and clients
// that take for ever.
import { createServer } from "node:http";
import { pathInPacket, refuse, refuseRaw } from "./refusals.mjs";

/** How long clients may take, in milliseconds. */
export const TIMES = {
  /** Longer than the 60 seconds after which common proxies drop an idle connection: the proxy must be the one to close. */
  keepAlive: 65_000,
  /** A client that neither reads nor writes for so long is gone. 0: for ever. */
  silence: 30_000,
  /** Until a request must have come whole, with its body and without. */
  request: 30_000,
  headers: 15_000,
  /** How often the two above are looked at. */
  check: 5_000,
  /** A client may go on sending a body so long after it was answered; nothing of it is kept. */
  discarding: 5_000,
};

/** So many requests of one connection are answered at a time; the ones sent ahead of them wait. */
const MAX_AT_ONCE = 4;
/** Whoever sends more ahead than this is cut off: no client does, and each that waits takes memory. */
const MAX_AHEAD = 100;

/**
 * What is known of a connection: how many of its requests are not answered yet, which of them wait for their turn, what
 * to do once there are none, and how to answer the last of them when its body never comes whole.
 * @typedef {{ pending: number, waiting: (() => void)[], afterAnswers: (() => void) | null, giveUp: () => void }} State
 */

/** @type {WeakMap<import("node:stream").Duplex, State>} */
const states = new WeakMap();

/** @param {import("node:stream").Duplex} socket */
function stateOf(socket) {
  const state = states.get(socket) ?? { pending: 0, waiting: [], afterAnswers: null, giveUp: () => {} };
  states.set(socket, state);
  return state;
}

/**
 * Resolves when it is a request's turn among those of its connection, never when its client goes before that; null when
 * it is at once.
 * @param {import("node:http").IncomingMessage} request
 * @returns {Promise<void> | null}
 */
export function turnOf({ socket }) {
  const { pending, waiting } = stateOf(socket);
  return pending <= MAX_AT_ONCE ? null : new Promise((resolve) => waiting.push(resolve));
}

/** @typedef {Error & { code?: string, rawPacket?: Buffer }} Fault */

const TOO_SLOW = "ERR_HTTP_REQUEST_TIMEOUT";
/** @type {Readonly<Record<string, number>>} */
const STATUS_OF = { HPE_HEADER_OVERFLOW: 431, [TOO_SLOW]: 408 };

/**
 * A server that nobody listens to yet and no client can hold for longer than these times. What is no request it answers
 * itself, in the order in which it came: behind the answers to the requests before it.
 * @param {typeof TIMES} times
 */
export function createGuardedServer(times) {
  const server = createServer({
    keepAliveTimeout: times.keepAlive,
    requestTimeout: times.request,
    headersTimeout: times.headers,
    connectionsCheckingInterval: times.check,
    // Refused with a body, unlike by Node.
    requireHostHeader: false,
  });
  // All of them are kept, and too many refused: Node would drop the last, and with them what a proxy wrote.
  server.maxHeadersCount = 0;
  server.setTimeout(times.silence);
  /** @type {import("node:http").RequestListener} */
  const track = (request, response) => {
    const { socket } = request;
    const state = stateOf(socket);
    if (++state.pending > MAX_AHEAD) return socket.destroy();
    // Whoever waits for the body learns from the end of the connection that it will never come.
    state.giveUp = () => response.headersSent || refuse(request, response, 408, { Connection: "close" });
    response.once("close", () => {
      state.pending--;
      state.waiting.shift()?.();
      if (state.pending === 0) state.afterAnswers?.();
      if (request.complete) return;
      // Read away, so that whoever sends it learns the answer, and can ask again.
      request.resume();
      setTimeout(() => request.complete || socket.destroy(), times.discarding).unref();
    });
  };
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, track);
  server.on("clientError", (/** @type {Fault} */ error, socket) => {
    if (!socket.writable) return socket.destroy();
    const { pending, giveUp } = stateOf(socket);
    if (error.code === TOO_SLOW && pending > 0) giveUp();
    else refuseLast(socket, STATUS_OF[error.code ?? ""] ?? 400, pathInPacket(error.rawPacket));
  });
  server.on("connect", (_, socket) => refuseLast(socket, 405, null));
  return server;
}

/**
 * Sends the error for unparsable bytes after the answers to the requests before them. The connection then ends.
 * @param {import("node:stream").Duplex} socket
 * @param {number} status
 * @param {string | null} path
 */
function refuseLast(socket, status, path) {
  afterAnswers(socket, () => refuseRaw(socket, status, path));
}

/**
 * Runs after the answers to the requests that came before on a connection. While one function waits, no other does.
 * @param {import("node:stream").Duplex} socket
 * @param {() => void} run
 */
export function afterAnswers(socket, run) {
  const state = stateOf(socket);
  if (state.afterAnswers) return;
  state.afterAnswers = () => {
    state.afterAnswers = null;
    run();
  };
  if (state.pending === 0) state.afterAnswers();
}
