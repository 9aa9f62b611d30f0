import { createServer, request as sendRequest } from "node:http";
import { listen } from "./listen";

/**
 * A plain HTTP proxy in front of the console at `target`, which keeps everything as it was on the wire: browsers do not let
 * every streamed body be read afterwards.
 */
export async function startRecordingProxy(target: string) {
  const bodies: string[] = [];
  const rest: string[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers };
    delete headers["accept-encoding"];
    const forwarded = sendRequest(
      { hostname, port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        rest.push(JSON.stringify(answer.headers));
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          outgoing.write(chunk);
        });
        answer.on("end", () => {
          bodies.push(Buffer.concat(chunks).toString());
          outgoing.end();
        });
      },
    );
    forwarded.on("error", () => outgoing.destroy());
    rest.push(JSON.stringify([incoming.method, incoming.url, incoming.headers]));
    incoming.on("data", (chunk: Buffer) => {
      rest.push(chunk.toString());
      forwarded.write(chunk);
    });
    incoming.on("end", () => forwarded.end());
  });
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    bodies: () => bodies,
    /** Request lines and bodies, and the headers of both directions. */
    rest: () => rest,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
