import { fixedHeadersOf } from "@/lib/api/fixed-headers.mjs";
import { isHandlerMethod } from "@/lib/http/methods.mjs";
import { matcherOf } from "@/server/routes";
import { callsThrough, type WholeAnswer } from "./calls";
import { mcpThrough } from "./mcp-client";

type Handler = (request: Request, route: { params: Promise<object> }) => Promise<Response>;

const FOLDER = "../../app";
const files = import.meta.glob<Record<string, Handler>>(["../../app/**/route.ts", "../../app/.well-known/*/route.ts"]);
const routes = Object.entries(files).map(([file, handlers]) => ({
  pattern: file.slice(FOLDER.length, -"/route.ts".length),
  handlers,
}));
const findRoute = matcherOf(routes);

/**
 * Sends a request to the route handlers themselves: no server, no build. What the server adds is added here, and proved
 * over HTTP in e2e/site/http.test.ts: the peer's ip, the fixed headers, HEAD without a body.
 */
export async function ask(target: string, init: RequestInit = {}): Promise<WholeAnswer> {
  const response = await answer(target, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** As `ask`, for tests that read the body in another way. */
export async function answer(target: string, init: RequestInit = {}): Promise<Response> {
  const [spelled = "", query] = splitOnce(target.split("#")[0] ?? "", "?");
  const path = spelled.replace(/\/{2,}/g, "/");
  const match = findRoute(path);
  if (!match) throw new Error(`No handler answers ${path}: ask a console over HTTP.`);
  const handlers = await match.handlers();
  // Methods that no handler can have become DELETE.
  const method = isHandlerMethod(init.method ?? "GET") ? (init.method ?? "GET") : "DELETE";
  const handle = handlers[method] ?? (method === "HEAD" ? handlers.GET : undefined);
  if (!handle) throw new Error(`${match.pattern} does not handle ${method}: ask a console over HTTP.`);
  const url = `http://localhost${path}${query === undefined ? "" : `?${query}`}`;
  const request = new Request(url, { ...init, method, headers: headersOf(init) });
  const response = await handle(request, { params: Promise.resolve(match.params) });
  const headers = new Headers([...fixedHeadersOf(match.path), ...response.headers] as [string, string][]);
  const isEmpty = method === "HEAD" || response.status === 204 || response.status === 304;
  return new Response(isEmpty ? null : response.body, { status: response.status, headers });
}

/** What a handler sees of the headers of a request from this machine. */
function headersOf(init: RequestInit): Record<string, string> {
  const headers: Record<string, string> = { host: "localhost", ...Object.fromEntries(new Headers(init.headers)) };
  delete headers["x-forwarded-proto"];
  const claimed = headers["x-forwarded-for"];
  headers["x-forwarded-for"] = claimed ? `${claimed}, 127.0.0.1` : "127.0.0.1";
  return headers;
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

export const { call, getData, expectFailure, spend, findJudge } = callsThrough(ask);
export const { sendMcp, postMcp, fetchMcp } = mcpThrough(answer);
