// Answers that the server gives itself, because no handler and no page can.
import { STATUS_CODES } from "node:http";
import { failureText } from "../lib/api/failure-text.mjs";
import { API_HEADERS } from "../lib/api/fixed-headers.mjs";

/** @param {Record<string, string>} headers further ones */
export function refuse(response, status, headers = {}) {
  for (const [name, value] of [...API_HEADERS, ...Object.entries(headers)]) response.setHeader(name, value);
  response
    .writeHead(status, { "Content-Type": "application/json; charset=utf-8" })
    .end(failureText(`${STATUS_CODES[status]}.`));
}

/** Not HTTP, headers beyond 16 KB, or a request that never ends: no request object exists, so the answer is raw. */
export function refuseMalformed(error, socket) {
  if (!socket.writable) return socket.destroy();
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400;
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
