import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "./listen";

const given = new Set<number>();

/** A loopback port that nothing listens on, another one each time, for servers that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  if (given.has(port)) return freePort();
  given.add(port);
  return port;
}
