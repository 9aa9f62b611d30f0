// Collects the whole answer that Next writes, before any of it is sent: a client that reads slowly then holds up no
// rendering, and a page that failed can be answered in our words.
import type { ServerResponse } from "node:http";

export type Collected = { status: number; headers: [string, string][]; body: Buffer };

const WRITERS = ["setHeader", "appendHeader", "flushHeaders", "writeHead", "write", "end"];

/**
 * Resolves with what is written to a response, including headers that were set earlier; the response is empty again then.
 * Null: the client left first.
 */
export function collectAnswer(response: ServerResponse): Promise<Collected | null> {
  const { setHeader, appendHeader } = response;
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    else if (typeof chunk === "string") {
      chunks.push(Buffer.from(chunk, (typeof encoding === "string" ? encoding : "utf8") as BufferEncoding));
    }
  };
  return new Promise((resolve) => {
    const isVary = (name: string) => /^vary$/i.test(name);
    Object.assign(response, {
      // Next sets Vary on every answer for its pages. The server sets its own.
      setHeader: (name: string, value: string) => (isVary(name) ? response : setHeader.call(response, name, value)),
      appendHeader: (name: string, value: string) =>
        isVary(name) ? response : appendHeader.call(response, name, value),
      flushHeaders: () => {},
      writeHead: (status: number) => Object.assign(response, { statusCode: status }),
      write: (chunk: unknown, encoding: unknown) => {
        keep(chunk, encoding);
        return true;
      },
      end: (chunk: unknown, encoding: unknown) => {
        keep(chunk, encoding);
        stopCollecting(response);
        resolve({ status: response.statusCode, headers: takeHeaders(response), body: Buffer.concat(chunks) });
        return response;
      },
    });
    response.once("close", () => resolve(null));
  });
}

/** From now on, what is written to the response is sent. What was collected is forgotten, except for the headers. */
export function stopCollecting(response: ServerResponse): void {
  for (const name of WRITERS) Reflect.deleteProperty(response, name);
}

/** A header with several values stands several times. */
function takeHeaders(response: ServerResponse): [string, string][] {
  const headers: [string, string][] = [];
  for (const [name, value] of Object.entries(response.getHeaders())) {
    response.removeHeader(name);
    if (name === "transfer-encoding") continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.push([name, String(one)]);
  }
  return headers;
}
