// Pages and forms: what Next must be protected from, and whose turn it is. Next makes them.
import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import next from "next";
// Private: the check that Next itself makes of this header, after which it answers 500. e2e/api/generated-requests.spec.ts holds it.
import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import { OUTAGE, OUTAGE_RETRY_AFTER } from "@/lib/http/plain-page-text.mjs";
import { PUBLIC_FILES } from "@/lib/http/public-files.mjs";
import { parseBoundedJson } from "@/lib/ingest/bounded-json";
import { FAULT_ID_HEADER, takeOutage } from "@/lib/operations/page-faults";
import { pingDatabase } from "@/lib/operations/readiness";
import { BusyError, EVERYBODY, enter } from "@/lib/process/fair";
import { askerOfPage } from "@/lib/sign-in/page-asker";
import { type Collected, collectAnswer } from "./collected";
import { ACTION, MAX_FORM, readForm } from "./forms";
import { INNER_HEADER, isInner, markForInner } from "./gate";
import { continueIfExpected } from "./incoming";
import { keptKey, keptPage } from "./kept-pages";
import { sendBody } from "./outgoing";
import { refuse, refuseUnknown } from "./refusals";
import { decoded, matcherOf } from "./routes";

const SIGN_IN = "/sign-in";
/** Files of the build. Other paths that begin with `_` are internals of Next that no page needs. */
const STATIC = "/_next/static/";
const FILES = new Set(PUBLIC_FILES.map((file) => `/${file}`));
const MANIFEST = join(process.env.CONSOLE_DIST_DIR || ".next", "app-path-routes-manifest.json");
/** Finds what the build has at a path besides the routes of machines. */
const findPage = matcherOf(
  Object.values<string>(JSON.parse(readFileSync(MANIFEST, "utf8"))).map((pattern) => ({ pattern, handlers: null })),
);

/** The request headers that a page may see: those it needs from browsers, and those of Next's router in the browser. */
const CARRIED_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "next-action",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "next-router-state-tree",
  "next-url",
  "origin",
  "range",
  "referer",
  "rsc",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "sec-fetch-user",
  "user-agent",
  "x-forwarded-for",
  "x-forwarded-host",
]);
/** Headers that only Next sends, in requests to itself. */
const INNER_HEADERS = new Set(["x-action-forwarded", INNER_HEADER]);

/** Dot segments. Clients resolve them before they ask. Next would resolve them to something that is not a page. */
const DOTS = /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i;
/** Next's check of its router's state takes a time that grows with the square of its depth. */
const STATE_BOUNDS = { maxDepth: 64 };
/** More parameters than any page has. Next takes half a second for the thousands that fit into a URL. */
const MAX_PARAMETERS = 100;
/** In characters. Next looks for robots in it by a pattern that takes a second for the longest that fits into a request. */
const MAX_AGENT = 512;
/** A form may have done its work before the page that follows it failed. */
const FORM_IN_OUTAGE = {
  title: OUTAGE.title,
  text: "Its database does not answer, or takes nothing new. Look whether the form was taken before you send it again.",
};

type Next = ReturnType<typeof next>;
let askNext: ReturnType<Next["getRequestHandler"]>;

/** Prepares Next for a server that will listen there. */
export async function preparePages(host: string, port: number): Promise<void> {
  // Private: where Next sends itself the page that a form leads to. It would ask "localhost", where nobody may listen.
  process.env.__NEXT_PRIVATE_ORIGIN = `http://${reachable(host)}:${port}`;
  // Next listens for web sockets on the server that it is given, so it gets an emitter of its own.
  const app = next({ hostname: "localhost", port, httpServer: new EventEmitter() as never });
  askNext = app.getRequestHandler();
  await app.prepare();
}

/** The name under which this machine reaches what listens on `host`. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

export async function answerPage(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fault = findPageFault(request, path);
  if (fault) return refuseForm(path, request, response, fault);
  keepPageHeaders(request);
  // Next adds ten close listeners per page. With ours, Node would warn of a leak.
  response.setMaxListeners(20);
  const isForm = request.method === "POST";
  if (path.startsWith(STATIC) || FILES.has(path) || (isInner(request) && !isForm)) return askNext(request, response);
  try {
    if (isForm) return await answerForm(path, request, response);
    const key = keptKey(path, request);
    const make = () => makePage("page", request, response);
    // The form of sign-in can be used only while the database is there.
    const isKept = key !== null && (path !== SIGN_IN || (await pingDatabase().catch(() => null)) !== null);
    await sendPage(isKept ? await keptPage(key, request, make) : await make(), request, response);
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    const isSignIn = isForm && path === SIGN_IN;
    const headers = { "Retry-After": String(error.retrySeconds) };
    if (!response.destroyed) refuse(request, response, isSignIn ? 429 : 503, headers);
  }
}

/** A form is received whole before it takes a place: else one that never ends would hold up its network. */
async function answerForm(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  continueIfExpected(request, response);
  const form = await readForm(request);
  // Answered meanwhile, because the body broke off or came too slowly.
  if (response.writableEnded) return;
  // Within the place of the form that Next sends on.
  if (typeof form !== "number" && isInner(form)) return askNext(form, response);
  if (typeof form !== "number") {
    const answer = await makePage(path === SIGN_IN ? "signInForm" : "page", form, response);
    return sendPage(answer, form, response);
  }
  refuseForm(path, request, response, form, form === 400 ? {} : { Connection: "close" });
}

/** Refuses what no page can be asked. Where no page is, a program has guessed the path, and reads nothing but JSON. */
function refuseForm(path: string, request: IncomingMessage, response: ServerResponse, status: number, headers = {}) {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (isRead || FILES.has(path) || findPage(path)) refuse(request, response, status, headers);
  else refuseUnknown(response);
}

/** Has Next make a page in the turn of its asker. Null: the client left. @throws BusyError */
async function makePage(
  kind: "page" | "signInForm",
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Collected | null> {
  const { headers } = request;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const asker = await askerOfPage(kind === "signInForm" ? { ...headers, cookie: undefined } : headers);
  const leave = await enter(kind, asker, gone.signal);
  let leaveStrangers: (() => void) | undefined;
  try {
    if (kind === "page" && typeof asker === "string") {
      leaveStrangers = await enter("strangerPage", EVERYBODY, gone.signal);
    }
    if (response.destroyed) return null;
    // Next must not compress: the collected answer is compressed when it is sent.
    const { "accept-encoding": accepted } = headers;
    delete headers["accept-encoding"];
    headers[FAULT_ID_HEADER] = randomUUID();
    markForInner(request);
    const answer = await collectAnswer(request, response, (collecting) => askNext(request, collecting));
    if (accepted !== undefined) headers["accept-encoding"] = accepted;
    return answer;
  } finally {
    leaveStrangers?.();
    leave();
  }
}

async function sendPage(answer: Collected | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!answer || response.destroyed) return;
  const { status, headers, body } = answer;
  // The database stopped answering meanwhile, or takes nothing new.
  if (status === 500 && takeOutage(String(request.headers[FAULT_ID_HEADER]))) {
    const page = request.method === "POST" ? FORM_IN_OUTAGE : OUTAGE;
    return refuse(request, response, 503, { "Retry-After": String(OUTAGE_RETRY_AFTER) }, page);
  }
  await sendBody(body, status, headers, request, response);
}

/** The status with which a request for a page must be refused; null when Next may see the request. */
function findPageFault({ headers, method, url = "" }: IncomingMessage, path: string): number | null {
  if (/^\/(?:_|%5f)/i.test(path) && !path.startsWith(STATIC)) return 404;
  // Where a segment is an id, Next would answer what cannot be decoded with a bare 500.
  if (DOTS.test(path) || !decoded(path)) return 404;
  if (method !== "GET" && method !== "HEAD" && method !== "POST") return 405;
  if (url.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS) return 400;
  const action = headers["next-action"];
  if (action !== undefined && !ACTION.test(String(action))) return 400;
  if (!isRouterState(headers["next-router-state-tree"])) return 400;
  if (method !== "POST") return null;
  if (Number(headers["content-length"]) > MAX_FORM) return 413;
  // A form of the console is sent by a browser as this, and by Next's router as this or as text.
  const type = headers["content-type"] ?? "";
  return /^multipart\/form-data *;/i.test(type) || (action !== undefined && /^text\/plain *;/i.test(type)) ? null : 400;
}

/** Whether Next's router in the browser may have sent this as what it shows. Next would answer anything else with a 500. */
function isRouterState(state: string | string[] | undefined): boolean {
  try {
    if (typeof state === "string") parseBoundedJson(Buffer.from(decodeURIComponent(state)), STATE_BOUNDS);
    parseAndValidateFlightRouterState(state);
    return true;
  } catch {
    return false;
  }
}

/** Deletes every header that pages do not need, and cuts the name of the browser, in place. */
function keepPageHeaders(request: IncomingMessage): void {
  const { headers } = request;
  const isOwn = isInner(request);
  for (const name of Object.keys(headers)) {
    if (!CARRIED_HEADERS.has(name) && !(isOwn && INNER_HEADERS.has(name))) delete headers[name];
  }
  if (headers["user-agent"]) headers["user-agent"] = headers["user-agent"].slice(0, MAX_AGENT);
}
