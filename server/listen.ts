// The server listens only when it can answer. Whether the port is free is checked first, before the slow start.
import { type AddressInfo, createServer, type Server } from "node:net";

/** Connections that may wait to be taken. With Node's 511 the system resets some of 1,500 clients that come at once. */
const BACKLOG = 4096;

/** Listens and returns the port. With 0 the system chooses one. @throws Error with a sentence when that is not possible */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new Error(error.code === "EADDRINUSE" ? "the port is in use" : error.message));
    server.once("error", fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off("error", fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Checks that `listen` will succeed. Returns the port; for 0, a free one. @throws Error as `listen` does */
export async function requireFree(port: number, host: string): Promise<number> {
  const server = createServer();
  const found = await listen(server, port, host);
  await new Promise((resolve) => server.close(resolve));
  return found;
}
