import { connect } from "node:net";
import { FACT } from "./patience";

/** Everything that the server sends on one connection until it ends it, for bytes that no HTTP client would send. */
export function exchange(bytes: string, origin: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes, "latin1"));
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    socket.setTimeout(FACT, () => socket.destroy(new Error(`No end of the answer to ${bytes.slice(0, 200)}`)));
  });
}
