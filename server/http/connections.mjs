// Guards connections against unparsable bytes, unread bodies and slow clients.
import { createServer } from "node:http";
import { Socket } from "node:net";
import { boundChunks } from "./chunks.mjs";
import { answerFault, answerRawFault } from "./faults.mjs";
import { discardFrom, endAfterRest } from "./last-answer.mjs";
import { pathInPacket, refuse, refuseRaw, SMALL_CHUNKS } from "./refusals.mjs";

/** How long clients may take, in milliseconds. */
export const TIMES = {
  /** Longer than the 60 seconds after which common proxies drop an idle connection: the proxy must be the one to close. */
  keepAlive: 65_000,
  /** A connection without traffic in either direction is closed after this time. 0 turns this off. */
  silence: 30_000,
  /** Time limits for receiving the whole request, and for receiving its headers alone. */
  request: 30_000,
  headers: 15_000,
  /** How often these two limits are checked. */
  check: 5_000,
  /** How long the rest of a body is read and discarded after the answer. A crowd of bodies takes a while to read. */
  discarding: 15_000,
};

/**
 * In bytes: when so much of a body waits to be asked for, no more is read. One read brings up to 64 KB. By themselves, Node 22
 * and newer read once more.
 */
export const READ_AHEAD = 16 * 1024;
/** Pipelined requests of one connection that are handled at a time. Further ones wait. */
const MAX_AT_ONCE = 4;
/** Limit on unanswered requests of one connection. Each takes memory, and no real client sends so many. */
const MAX_AHEAD = 100;

/**
 * What is known of a connection: how many of its requests are not answered yet, which of them wait for others, what
 * to do once there are none, how to end the last of them when its body never comes whole, whether that one has to be ended
 * so, and the last one that was answered before its body was whole.
 * @typedef {{
 *   pending: number,
 *   waiting: (() => void)[],
 *   afterAnswers: (() => void) | null,
 *   giveUp: (status: number, page?: import("./refusals.mjs").Page) => void,
 *   isWaitingForBody: () => boolean,
 *   discarded: import("node:http").IncomingMessage | null,
 * }} State
 */

/** @type {WeakMap<import("node:stream").Duplex, State>} */
const states = new WeakMap();

/** @param {import("node:stream").Duplex} socket */
function stateOf(socket) {
  const state = states.get(socket) ?? {
    pending: 0,
    waiting: [],
    afterAnswers: null,
    giveUp: () => {},
    isWaitingForBody: () => false,
    discarded: null,
  };
  states.set(socket, state);
  return state;
}

/**
 * Waits until earlier requests of the same connection are answered. Null when it need not wait. Never resolves if the client leaves first.
 * @param {import("node:http").IncomingMessage} request
 * @returns {Promise<void> | null}
 */
export function earlierAnswers({ socket }) {
  const { pending, waiting } = stateOf(socket);
  return pending <= MAX_AT_ONCE ? null : new Promise((resolve) => waiting.push(resolve));
}

/** @typedef {Error & { code?: string, rawPacket?: Buffer }} Fault */

const TOO_SLOW = "ERR_HTTP_REQUEST_TIMEOUT";
/** @type {Readonly<Record<string, number>>} */
const STATUS_OF = { HPE_HEADER_OVERFLOW: 431, [TOO_SLOW]: 408 };

/**
 * Creates a server with client timeouts. It does not listen yet. It answers unparsable bytes itself, after all earlier
 * pipelined responses.
 * @param {typeof TIMES} times
 */
export function createGuardedServer(times) {
  const server = createServer({
    keepAliveTimeout: times.keepAlive,
    requestTimeout: times.request,
    headersTimeout: times.headers,
    connectionsCheckingInterval: times.check,
    highWaterMark: READ_AHEAD,
    // The gate checks Host instead, because Node refuses without a body.
    requireHostHeader: false,
  });
  // Node would silently drop headers over its limit. A proxy appends its own last, so the gate refuses with 431
  // instead.
  server.maxHeadersCount = 0;
  server.setTimeout(times.silence);
  /** @type {import("node:http").RequestListener} */
  const track = (request, response) => {
    const { socket } = request;
    const state = stateOf(socket);
    if (++state.pending > MAX_AHEAD) return socket.destroy();
    state.isWaitingForBody = () => !request.complete && !response.headersSent;
    // Answers when the rest of the body never arrives. The end of the connection then fails the handler's read, which Node
    // does not do for a request that is answered.
    state.giveUp = (status, page) => {
      socket.once("close", () => request.destroy());
      try {
        if (!response.headersSent) refuse(request, response, status, { Connection: "close" }, page);
      } catch (error) {
        answerFault(request, response, error);
      }
    };
    const endUnread = () => endAfterRest(socket, "", times.discarding);
    boundChunks(request, () => {
      if (response.writableFinished) endUnread();
      else if (response.headersSent) response.once("finish", endUnread);
      else state.giveUp(400, SMALL_CHUNKS);
    });
    // Runs before Node's own listener, which closes the connection unless it is kept for further requests.
    response.prependOnceListener("finish", () => {
      if (request.complete) return;
      state.discarded = request;
      state.giveUp = () => socket.destroy();
      discardFrom(request, socket);
      // Without a reader, Node would drop the rest without telling.
      request.read(0);
      socket.destroySoon = () => {
        if (request.complete) Socket.prototype.destroySoon.call(socket);
        else endUnread();
      };
    });
    response.once("close", () => {
      state.pending--;
      // In newer versions of Node, the end of the connection closes the answers that wait for earlier ones, too.
      if (!socket.destroyed) state.waiting.shift()?.();
      if (state.pending === 0) state.afterAnswers?.();
      if (request.complete) return;
      // Discards the rest of the body, so that the client reads the answer and can reuse the connection.
      request.resume();
      setTimeout(() => request.complete || socket.destroy(), times.discarding).unref();
    });
  };
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, track);
  server.on("clientError", (/** @type {Fault} */ error, socket) => {
    if (!socket.writable) return socket.destroy();
    const { pending, giveUp, isWaitingForBody, discarded } = stateOf(socket);
    const status = STATUS_OF[error.code ?? ""] ?? 400;
    if (error.code === TOO_SLOW && (pending > 0 || discarded?.complete === false)) giveUp(status);
    // The body broke off, or its chunks are none: its handler would wait for the rest.
    else if (isWaitingForBody()) giveUp(status);
    else {
      afterAnswers(socket, () => refuseRaw(socket, status, pathInPacket(error.rawPacket)));
    }
  });
  server.on("connect", (_, socket) => afterAnswers(socket, () => refuseRaw(socket, 405, null)));
  return server;
}

/**
 * Runs a function after all pending answers of a connection. Does nothing if another function waits already. If it
 * throws, the client is answered 500, and the connection ends.
 * @param {import("node:stream").Duplex} socket
 * @param {() => void} run
 */
export function afterAnswers(socket, run) {
  const state = stateOf(socket);
  if (state.afterAnswers) return;
  state.afterAnswers = () => {
    state.afterAnswers = null;
    try {
      run();
    } catch (error) {
      answerRawFault(socket, error);
    }
  };
  if (state.pending === 0) state.afterAnswers();
}
