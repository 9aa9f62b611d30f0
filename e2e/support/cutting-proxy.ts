import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** A way to PostgreSQL on which every message is counted. */
type CuttingProxy = {
  url: string;
  /** Calls this at the n-th message from now on, before it is passed on or after that. Null: never. */
  at(n: number | null, isBefore: boolean, then: () => void): void;
  stop(): void;
};

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let left: number | null = null;
  let isBefore = false;
  let then = () => {};
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
    upstream.on("data", (bytes) => client.write(bytes));
    client.on("data", (bytes) => {
      if (left !== null) left--;
      const isDue = left === 0;
      if (isDue && isBefore) return then();
      upstream.write(bytes, () => isDue && then());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    at(n, before, callback) {
      left = n;
      isBefore = before;
      then = callback;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
