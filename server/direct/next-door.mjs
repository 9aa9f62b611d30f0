// Calls route handlers through Next's router when the direct door is closed. The answers are the same as there.
import { answerFault } from "../http/faults.mjs";
import { collectAnswer } from "./collected.mjs";
import { continueIfExpected } from "./incoming.mjs";
import { sendBody } from "./outgoing.mjs";
import { canonicalPath } from "./routes.mjs";

/**
 * A request and a response for Next's router.
 * @param {string} path of the request, its slashes collapsed
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @returns {[import("node:http").IncomingMessage, import("node:http").ServerResponse]}
 */
export function throughNext(path, request, response) {
  const { url = "", method = "GET" } = request;
  const query = url.indexOf("?");
  const accepted = String(request.headers["accept-encoding"] ?? "");
  request.url = canonicalPath(path) + (query < 0 ? "" : url.slice(query));
  // Next would compress even short answers, and then send no Content-Length.
  delete request.headers["accept-encoding"];
  continueWhenRead(request, response);
  collectAnswer(response, (answer) => {
    if (!answer) return;
    const { status, headers, body } = answer;
    sendBody([body], status, headers, { method, accepted }, response).catch((error) =>
      answerFault(request, response, error),
    );
  });
  return [request, response];
}

/**
 * Sends "100 Continue" when a handler reads the body. Most handlers answer without reading it.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function continueWhenRead(request, response) {
  const read = request._read;
  request._read = (size) => {
    request._read = read;
    continueIfExpected(request, response);
    request._read(size);
  };
}
