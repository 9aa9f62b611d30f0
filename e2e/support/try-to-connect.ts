import { connect } from "node:net";
import { networkInterfaces } from "node:os";

/** What a connection comes to: "connected", or the code of the error. */
export function tryToConnect(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.once("error", ({ code = "failed" }: NodeJS.ErrnoException) => resolve(code));
  });
}

const ownIps = () =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);

/** What the other ips of this machine answer, each in the same way; a machine may have none. */
export const othersAre = (outcome: string) => (ownIps().length > 0 ? [outcome] : []);

/** What this machine's ips answer at a port. Other tests make and remove interfaces meanwhile; those do not count. */
export async function outcomesOf(port: number) {
  const outcomes: Record<string, string> = {};
  for (const ip of ownIps()) {
    const outcome = await tryToConnect(ip, port);
    if (ownIps().includes(ip)) outcomes[ip] = outcome;
  }
  return { loopback: await tryToConnect("127.0.0.1", port), others: [...new Set(Object.values(outcomes))] };
}
