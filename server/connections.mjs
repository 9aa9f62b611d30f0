// What happens on a connection apart from its requests: bytes that are no request, and bodies that nobody reads.
import { pathInPacket, refuseRaw } from "./refusals.mjs";

/** How long a client may go on sending a body after it was answered; nothing of it is kept. */
const DISCARDING_MS = 5_000;

/** @typedef {Error & { code?: string, rawPacket?: Buffer }} Fault */

/** @type {Readonly<Record<string, number>>} */
const STATUS_OF = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Answers what is no request in the order in which it came: behind the answers to the requests before it.
 * @param {import("node:http").Server} server
 */
export function guardConnections(server) {
  /**
   * Per connection: how many requests are not answered yet, and what to do once there are none.
   * @type {WeakMap<import("node:stream").Duplex, { pending: number, refusal: (() => void) | null }>}
   */
  const states = new WeakMap();
  const stateOf = (/** @type {import("node:stream").Duplex} */ socket) => {
    const state = states.get(socket) ?? { pending: 0, refusal: null };
    states.set(socket, state);
    return state;
  };
  /** @type {import("node:http").RequestListener} */
  const track = (request, response) => {
    const state = stateOf(request.socket);
    state.pending++;
    response.once("close", () => {
      state.pending--;
      if (state.pending === 0) state.refusal?.();
      if (!request.complete) cutOffLater(request);
    });
  };
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, track);
  server.on("clientError", (/** @type {Fault} */ error, socket) => {
    if (!socket.writable) return socket.destroy();
    const state = stateOf(socket);
    if (state.refusal) return;
    state.refusal = () => refuseRaw(socket, STATUS_OF[error.code ?? ""] ?? 400, pathInPacket(error.rawPacket));
    if (state.pending === 0) state.refusal();
  });
}

/** @param {import("node:http").IncomingMessage} request */
function cutOffLater(request) {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), DISCARDING_MS);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
  request.once("end", () => clearTimeout(timer));
}
