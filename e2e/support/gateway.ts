import { createServer } from "node:http";
import { sharedOrigin } from "./fixtures";
import { listen } from "./listen";

/**
 * Stands between a client of the API and the shared console. Notes what is asked when, and fails the requests that come next:
 * by closing the connection, or with a status and two seconds to wait; null lets one through.
 */
export async function startGateway() {
  const asked: { url: string; at: number }[] = [];
  const failures: ("drop" | 429 | 503 | null)[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ url: request.url ?? "", at: performance.timeOrigin + performance.now() });
    const failure = failures.shift();
    if (failure === "drop") return request.socket.destroy();
    if (failure) return response.writeHead(failure, { "Retry-After": "2" }).end('{"error":"Busy."}');
    const headers = { Authorization: request.headers.authorization ?? "" };
    const answer = await fetch(`${sharedOrigin()}${request.url}`, { headers });
    response.writeHead(answer.status, { "Content-Type": "application/json" }).end(await answer.text());
  });
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    asked,
    failures,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
