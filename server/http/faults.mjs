// Answers requests whose handling threw an error that nothing else has answered.
import { randomUUID } from "node:crypto";
import { logFault } from "../../lib/process/faults.mjs";
import { stopCollecting } from "../direct/collected.mjs";
import { pathOf, refuse, refuseRaw } from "./refusals.mjs";

/** Headers that the server itself sets before anything can fail. */
const OWN_HEADERS = new Set(["connection", "strict-transport-security"]);

/**
 * Answers 500 with an id that the log names as well. When the answer has begun already, its connection ends, so that the
 * client does not take a part for the whole.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {unknown} error
 */
export function answerFault(request, response, error) {
  // The client disconnected in the middle of its request.
  if (Reflect.get(Object(error), "code") === "ECONNRESET") return void response.destroy();
  const id = randomUUID();
  try {
    logFault("request failed", error, {
      request_id: id,
      method: request.method ?? "",
      path: pathOf(request.url ?? ""),
    });
    stopCollecting(response);
    if (response.writableEnded) return;
    if (response.headersSent) return void response.destroy();
    for (const name of response.getHeaderNames()) if (!OWN_HEADERS.has(name)) response.removeHeader(name);
    refuse(request, response, 500, { "X-Request-Id": id });
  } catch {
    response.destroy();
  }
}

/**
 * Answers 500 on a connection that has no unanswered request, and ends it.
 * @param {import("node:stream").Duplex} socket
 * @param {unknown} error
 */
export function answerRawFault(socket, error) {
  const id = randomUUID();
  try {
    logFault("request failed", error, { request_id: id });
    refuseRaw(socket, 500, null, { "X-Request-Id": id });
  } catch {
    socket.destroy();
  }
}
