// Answers that the server gives itself, because no handler and no page can: JSON where machines ask, else a page.
import { randomBytes, randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { failureText } from "@/lib/api/failure-text.mjs";
import { API_HEADERS, PAGE_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { plainPageText } from "@/lib/http/plain-page-text.mjs";
import { otlpFailure } from "@/lib/ingest/agents/otlp-failure";
import { logFault } from "@/lib/process/faults.mjs";
import { isForMachines } from "./gate";

/** The path in the first line of an unparsable request. Its text is untrusted. */
const REQUEST_LINE = /^[A-Z]{1,20} (?:https?:\/\/[^/ ]{1,300})?(\/[^ ]{0,30})/;
const CONTENT_TYPE = /\r\ncontent-type:[ \t]*([^\r\n]{1,100})/i;
/** Of an unparsable request, in bytes. */
const LONGEST_READ = 4_096;
/** For how long the rest of what a client sends is thrown away, in milliseconds. */
const DISCARDING_MS = 5_000;
/** Headers that the server itself sets before anything can fail. */
const OWN_HEADERS = new Set(["connection", "strict-transport-security"]);

/** What a person reads of a refusal. */
export type Page = { title: string; text: string };
type Refusal = { headers: readonly (readonly [string, string])[]; body: string | Uint8Array };
/** What was asked for, as far as anybody can say: the path without its query, and the Content-Type. */
type Asked = { path: string; type?: string | undefined };

const FAULT: Page = { title: "Something went wrong on our side", text: "Try again in a moment." };
const PAGES: Readonly<Record<number, Page>> = {
  400: {
    title: "The request could not be understood",
    text: "So nothing was done. Open the page anew and try again.",
  },
  404: { title: "There is no such page", text: "The URL may be mistyped, or the page may have moved." },
  405: { title: "This page cannot be used that way", text: "So nothing was done. Open it in your browser." },
  408: { title: "The request took too long", text: "It never arrived whole, so nothing was done." },
  409: {
    title: "The console was updated",
    text: "The form is of the version before, so nothing was done. Open the page anew.",
  },
  413: { title: "The form is too large", text: "So nothing was done. No form of the console needs that much text." },
  417: { title: "The request expects something unknown", text: "So nothing was done." },
  429: {
    title: "Too many people are signing in right now",
    text: "Nobody was signed in. Try again in a few seconds.",
  },
  431: {
    title: "The request is too large",
    text: "Its URL or its headers are too long. Clearing the cookies of this site may help.",
  },
  503: {
    title: "The console is busy with your other requests",
    text: "So nothing was done. Try again in a few seconds.",
  },
};

/** Answers with a status, further headers, and by default the page of the status. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  page?: Page,
): void {
  const answer = refusalOf(status, askedBy(request), headers["X-Request-Id"], page);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  send(response, status, answer);
}

function send(response: ServerResponse, status: number, { headers, body }: Refusal): void {
  for (const [name, value] of headers) if (!response.hasHeader(name)) response.setHeader(name, value);
  response.writeHead(status, { "Content-Length": Buffer.byteLength(body) });
  // Node sends none to HEAD.
  response.end(body);
}

/** Answers 404 as to a path of machines. */
export function refuseUnknown(response: ServerResponse): void {
  send(response, 404, jsonRefusal(404));
}

/** Writes a refusal to a connection that has no request Node could answer, and ends the connection. */
export function refuseBytes(socket: Duplex, status: number, packet: Buffer | undefined): void {
  const text = packet?.subarray(0, LONGEST_READ).toString("latin1") ?? "";
  const [, path = "/api"] = REQUEST_LINE.exec(text) ?? [];
  const { headers, body } = refusalOf(status, { path: pathOf(path), type: CONTENT_TYPE.exec(text)?.[1] });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  endAfterRest(socket, Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body)]));
}

/**
 * Sends the last bytes of a connection, and throws away what still comes for a moment: bytes that come to a closed socket
 * make the kernel drop what its client has not read yet.
 */
export function endAfterRest(socket: Duplex, bytes: string | Buffer = ""): void {
  socket.removeAllListeners("data");
  socket.resume();
  socket.end(bytes);
  const timer = setTimeout(() => socket.destroy(), DISCARDING_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

/**
 * Answers 500 with an id that the log names as well. When the answer has begun already, its connection ends, so that the
 * client does not take a part for the whole.
 */
export function answerFault(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  // The client left in the middle of its request.
  if (Reflect.get(Object(error), "code") === "ECONNRESET") return void response.destroy();
  const id = randomUUID();
  logFault("request failed", error, { request_id: id, method: request.method, path: pathOf(request.url ?? "") });
  if (response.writableEnded) return;
  if (response.headersSent) return void response.destroy();
  for (const name of response.getHeaderNames()) if (!OWN_HEADERS.has(name)) response.removeHeader(name);
  refuse(request, response, 500, { "X-Request-Id": id });
}

/** `id`: of a fault, for the page to show. */
function refusalOf(status: number, { path, type }: Asked, id?: string, page = PAGES[status] ?? FAULT): Refusal {
  if (path.startsWith("/ingest/otlp/")) return otlpRefusal(status, type);
  // No browser asks for `*`.
  if (path === "*" || isForMachines(path)) return jsonRefusal(status);
  const nonce = randomBytes(16).toString("base64");
  const text = id ? `${page.text} The log of the console has the details under ${id}.` : page.text;
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; img-src 'self'; base-uri 'none'`;
  return {
    headers: [["Content-Type", "text/html; charset=utf-8"], ["Content-Security-Policy", policy], ...PAGE_HEADERS],
    body: plainPageText({ title: page.title, text, nonce }),
  };
}

function jsonRefusal(status: number, body = failureText(messageOf(status))): Refusal {
  return { headers: [["Content-Type", "application/json; charset=utf-8"], ...API_HEADERS], body };
}

/** As the handlers of OTLP fail. */
function otlpRefusal(status: number, type: string | undefined): Refusal {
  const error = messageOf(status);
  const told = otlpFailure({ status, message: error }, type);
  if (told.bytes) return { headers: [["Content-Type", told.type], ...API_HEADERS], body: told.bytes };
  return jsonRefusal(status, JSON.stringify({ error, ...told }));
}

function messageOf(status: number): string {
  return status === 500 ? "Internal error." : `${STATUS_CODES[status]}.`;
}

function askedBy({ url = "", headers }: IncomingMessage): Asked {
  return { path: pathOf(url), type: headers["content-type"] };
}

/** The path of a request, its slashes collapsed: without the host that an absolute URL names, and without its query. */
function pathOf(url: string): string {
  const [path = ""] = url.replace(/^https?:\/\/[^/]*/i, "").split(/[?#]/);
  return path.replace(/\/{2,}/g, "/") || "/";
}
