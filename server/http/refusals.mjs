// Answers that the server gives itself, because no handler and no page can: JSON where machines ask, else a page.
import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { failureText } from "../../lib/api/failure-text.mjs";
import { API_HEADERS, PAGE_HEADERS } from "../../lib/api/fixed-headers.mjs";
import { isMachinePath } from "../../lib/http/machine-path.mjs";
import { plainPageText } from "../../lib/http/plain-page-text.mjs";
import { endAfterRest } from "./last-answer.mjs";

/** The path in the first line of an unparsable request. Its text is untrusted. */
const REQUEST_LINE = /^[A-Z]{1,20} (?:https?:\/\/[^/ ]{1,300})?(\/[^ ]{0,30})/;

/**
 * What a person reads of a refusal, and what a machine reads where that is not the name of the status.
 * @typedef {{ title: string, text: string, forMachines?: string }} Page
 */

/** @type {Page} */
const FAULT = { title: "Something went wrong on our side", text: "Try again in a moment." };
const MALFORMED = {
  title: "The request could not be understood",
  text: "So nothing was done. Open the page anew and try again.",
};
/** @type {Page} */
export const SMALL_CHUNKS = { ...MALFORMED, forMachines: "The body came in too many small chunks." };
/**
 * By status.
 * @type {Readonly<Record<number, Page>>}
 */
const PAGES = {
  400: MALFORMED,
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
  500: { ...FAULT, forMachines: "Internal error." },
  503: {
    title: "The console is busy with your other requests",
    text: "So nothing was done. Try again in a few seconds.",
  },
};

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {Record<string, string>} headers further ones
 * @param {Page} [page] by default that of the status
 */
export function refuse(request, response, status, headers = {}, page = PAGES[status]) {
  const answer = refusalOf(status, pathOf(request.url ?? ""), headers["X-Request-Id"], page);
  for (const [name, value] of [...answer.headers, ...Object.entries(headers)]) response.setHeader(name, value);
  response.writeHead(status, { "Content-Length": Buffer.byteLength(answer.body) });
  response.end(request.method === "HEAD" ? undefined : answer.body);
}

/**
 * Writes a refusal to a connection that has no request Node could answer, and ends the connection.
 * @param {import("node:stream").Duplex} socket
 * @param {number} status
 * @param {string | null} path null when it is not known: the client does not speak HTTP, so it is not a browser
 * @param {Record<string, string>} further headers
 */
export function refuseRaw(socket, status, path, further = {}) {
  const { headers, body } = refusalOf(status, pathOf(path ?? "/api"));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...[...headers, ...Object.entries(further)].map(([name, value]) => `${name}: ${value}`),
  ];
  endAfterRest(socket, `${lines.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * The path in the bytes of a request that the parser refused; null when they do not begin with one.
 * @param {Buffer | undefined} packet
 */
export function pathInPacket(packet) {
  return REQUEST_LINE.exec(packet?.subarray(0, 400).toString("latin1") ?? "")?.[1] ?? null;
}

/**
 * @param {number} status
 * @param {string} path
 * @param {string} [id] of a fault, for the page to show
 * @param {Page} [page]
 * @returns {{ headers: (readonly [string, string])[], body: string }}
 */
function refusalOf(status, path, id, page = PAGES[status] ?? FAULT) {
  // No browser asks for `*`.
  if (path === "*" || isMachinePath(path)) {
    return {
      headers: [["Content-Type", "application/json; charset=utf-8"], ...API_HEADERS],
      body: failureText(page.forMachines ?? `${STATUS_CODES[status]}.`),
    };
  }
  const nonce = randomBytes(16).toString("base64");
  const text = id ? `${page.text} The log of the console has the details under ${id}.` : page.text;
  return {
    headers: [
      ["Content-Type", "text/html; charset=utf-8"],
      ["Content-Security-Policy", `default-src 'none'; style-src 'nonce-${nonce}'; img-src 'self'; base-uri 'none'`],
      ...PAGE_HEADERS,
    ],
    body: plainPageText({ title: page.title, text, nonce }),
  };
}

/**
 * The path of a request, its slashes collapsed: without the host that an absolute URL names, and without its query.
 * @param {string} url
 */
export function pathOf(url) {
  const [path = ""] = url.replace(/^https?:\/\/[^/]*/i, "").split(/[?#]/);
  return path.replace(/\/{2,}/g, "/") || "/";
}
