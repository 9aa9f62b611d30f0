import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server on this machine on which answers take their time. */
export type SlowProxy = {
  port: number;
  /** How long every answer from now on is held back, in milliseconds. At first it is 0. */
  setDelay(ms: number): void;
  /** Nothing passes any more on the connections of now, which stay open, as when a host vanishes; new ones are well. */
  silence(): void;
  stop(): Promise<void>;
};

/** A TCP proxy in front of a loopback port: it passes on everything, in order, but what comes back comes late. */
export async function startSlowProxy(target: number): Promise<SlowProxy> {
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
    client.pipe(upstream);
    let passedOn: Promise<unknown> = Promise.resolve();
    upstream.on("data", (chunk) => {
      const due = new Promise((resolve) => setTimeout(resolve, delay));
      passedOn = Promise.all([passedOn, due]).then(() => client.write(chunk));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    setDelay(ms) {
      delay = ms;
    },
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
