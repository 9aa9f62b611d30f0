import { connect, createServer, type Socket } from "node:net";
import { listen } from "./listen";

/**
 * Starts a TCP proxy in front of a loopback port. It forwards everything in order, and delays what comes back. It listens
 * on loopback too, unless `host` is another ip. `change` can forge what goes to the server.
 */
export async function startSlowProxy(target: number, host = "127.0.0.1", change = (bytes: Buffer) => bytes) {
  let delay = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (bytes) => upstream.write(change(bytes)));
    let passedOn: Promise<unknown> = Promise.resolve();
    upstream.on("data", (chunk) => {
      const due = new Promise((resolve) => setTimeout(resolve, delay));
      passedOn = Promise.all([passedOn, due]).then(() => client.write(chunk));
    });
  });
  return {
    port: await listen(server, host),
    /** How long every answer from now on is held back, in milliseconds. At first it is 0. */
    setDelay(ms: number): void {
      delay = ms;
    },
    /** Stops all traffic on open connections without closing them, as a vanished host would. New connections work. */
    silence(): void {
      for (const socket of sockets) socket.pause();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
