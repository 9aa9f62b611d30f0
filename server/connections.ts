// The order of answers on a connection, and what is said to bytes that are no request.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { endAfterRest, refuse, refuseBytes } from "./refusals";

/** Unanswered requests of one connection. Each takes memory, and no real client sends so many. */
const MAX_UNANSWERED = 100;
const STATUS_OF: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

type State = {
  unanswered: Set<ServerResponse>;
  isEnding: boolean;
  last: { request: IncomingMessage; response: ServerResponse } | null;
};
const states = new WeakMap<Duplex, State>();

function stateOf(socket: Duplex): State {
  const known = states.get(socket);
  if (known) return known;
  const state: State = { unanswered: new Set(), isEnding: false, last: null };
  states.set(socket, state);
  // Node tells the answer that is being sent that its connection has closed, and none of those in line behind it.
  socket.once("close", () => setImmediate(() => state.unanswered.forEach(abandon)));
  return state;
}

function abandon(response: ServerResponse): void {
  response.destroy();
  response.emit("close");
}

/** Watches the connections of a server that has no listeners for its requests yet. */
export function watchConnections(server: Server): void {
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, track);
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (!socket.writable) return void socket.destroy();
    const status = STATUS_OF[error.code ?? ""] ?? 400;
    const { last } = stateOf(socket);
    if (!last || last.request.complete) afterAnswers(socket, () => refuseBytes(socket, status, error.rawPacket));
    // The body of the last request is not whole, and its handler may wait for the rest.
    else if (last.response.headersSent) socket.destroy();
    else {
      socket.once("close", () => last.request.destroy());
      refuse(last.request, last.response, status, { Connection: "close" });
    }
  });
  // Node no longer listens for the errors of these sockets, and one without a listener would end the process.
  for (const event of ["connect", "upgrade"])
    server.on(event, (_, socket) => socket.on("error", () => socket.destroy()));
  server.on("connect", (_, socket) => afterAnswers(socket, () => refuseBytes(socket, 405, undefined)));
  // Some clients offer HTTP/2. Node's parser drops what comes behind such a request, so the connection is parsed again.
  server.on("upgrade", (request, socket, head) =>
    afterAnswers(socket, () => {
      if (socket.destroyed) return;
      Object.assign(stateOf(socket), { isEnding: false, last: null });
      // Node adds its own ones again.
      for (const event of ["error", "timeout"]) socket.removeAllListeners(event);
      socket.unshift(Buffer.concat([headWithoutOffer(request), head]));
      server.emit("connection", socket);
    }),
  );
}

function track(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const state = stateOf(socket);
  state.last = { request, response };
  response.once("close", () => state.unanswered.delete(response));
  if (state.unanswered.add(response).size > MAX_UNANSWERED) return void socket.destroy();
  response.prependOnceListener("finish", () => {
    if (request.complete) return;
    // What is left of the body is thrown away, so that the connection can go on.
    request.resume();
    // Else a connection that ends with this answer would end before its client has read it.
    socket.destroySoon = () => endAfterRest(socket);
  });
}

/** Runs a function after all pending answers of a connection, which are sent in their order. Does nothing the second time. */
function afterAnswers(socket: Duplex, run: () => void): void {
  const state = stateOf(socket);
  if (state.isEnding) return;
  state.isEnding = true;
  const last = state.last?.response;
  if (last && !last.closed) last.once("close", run);
  else run();
}

/** The bytes of the request line and the headers, without the one that offers an upgrade. */
function headWithoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!/^upgrade$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  // Node read each byte as one character.
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
