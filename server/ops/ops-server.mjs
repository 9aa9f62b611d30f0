// Serves /ops/metrics on a separate port for the operator.
import { createServer } from "node:http";
import { collectMetrics, writeFamilies } from "../../lib/operations/metrics.mjs";
import { logFault } from "../../lib/process/faults.mjs";
import { listen } from "../listen.mjs";
import { logError, logInfo } from "../log.mjs";

const PATH = "/ops/metrics";

/** Listens on OPS_PORT, if it is set. When the port is taken, the console runs without these metrics. */
export async function startOps() {
  const port = Number(process.env.OPS_PORT);
  if (!port) return;
  const host = process.env.OPS_HOST || "127.0.0.1";
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      logFault("metrics failed", error, {});
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "Cache-Control": "no-store" }).end("Internal error.\n");
    });
  });
  server.setTimeout(10_000);
  try {
    logInfo("metrics", `${host}:${await listen(server, port, host)}`);
  } catch (error) {
    logError("no metrics", `${host}:${port}: ${error instanceof Error ? error.message : error}`);
  }
  // The metrics port alone must not keep the process running.
  server.unref();
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer(request, response) {
  const isAsked = request.url?.split("?")[0] === PATH && (request.method === "GET" || request.method === "HEAD");
  const body = isAsked ? writeFamilies(await collectMetrics()) : "Not found.\n";
  response.writeHead(isAsked ? 200 : 404, {
    "Content-Type": isAsked ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
