// Answers the requests of machines by calling the compiled route handlers directly. Next's router takes ten times as
// long as the handlers do. The deployment adapters of vercel/next.js#77740 would describe the handlers of a build; then
// `routes.mjs` need not know how Next names and wraps them.

import { isHandlerMethod } from "../../lib/http/methods.mjs";
import { refuse } from "../http/refusals.mjs";
import { IncomingRequest } from "./incoming.mjs";
import { send } from "./outgoing.mjs";

/**
 * @param {import("./routes.mjs").Match} match
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Iterable<readonly [string, string]>} fixed headers of every answer under this path
 */
export async function answerDirectly(match, request, response, fixed) {
  const { handlers } = match;
  // Like Next, GET answers HEAD when a route exports no HEAD.
  const handler = handlers[request.method ?? ""] ?? (request.method === "HEAD" ? handlers.GET : undefined);
  if (!handler) return refuse(request, response, 405, { Allow: allowedMethods(handlers) });
  const answer = await handler(new IncomingRequest(request, response, `http://localhost${request.url}`).asRequest(), {
    params: Promise.resolve(match.params),
  });
  await send(answer, request, response, fixed);
}

/** @param {import("./routes.mjs").Handlers} handlers */
function allowedMethods(handlers) {
  const methods = Object.keys(handlers).filter(isHandlerMethod);
  return [...methods, ...(handlers.GET && !handlers.HEAD ? ["HEAD"] : [])].join(", ");
}
