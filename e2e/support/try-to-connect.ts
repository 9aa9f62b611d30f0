import { connect } from "node:net";

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
