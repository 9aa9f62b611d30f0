// Answers that the server gives itself, because no handler and no page can.
import { STATUS_CODES } from "node:http";
import { failureText } from "../lib/api/failure-text.mjs";
import { API_HEADERS } from "../lib/api/fixed-headers.mjs";

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {Record<string, string>} headers further ones
 */
export function refuse(response, status, headers = {}) {
  for (const [name, value] of API_HEADERS) response.setHeader(name, value);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response
    .writeHead(status, { "Content-Type": "application/json; charset=utf-8" })
    .end(failureText(`${STATUS_CODES[status]}.`));
}

/** @type {Readonly<Record<string, number>>} */
const STATUS_OF_FAULT = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Not HTTP, headers beyond 16 KB, or a request that never ends: no request object exists, so the answer is raw.
 * @param {Error & { code?: string }} error
 * @param {import("node:stream").Duplex} socket
 */
export function refuseMalformed(error, socket) {
  if (!socket.writable) return socket.destroy();
  const status = STATUS_OF_FAULT[error.code ?? ""] ?? 400;
  const body = failureText(`${STATUS_CODES[status]}.`);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...API_HEADERS.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
