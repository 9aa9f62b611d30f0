import { createServer } from "node:net";
import { PlainError } from "@/lib/failures";
import { portInUse } from "./app-process";

/** Finds out before a minute of building whether the server will be able to listen. @throws PlainError */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new PlainError(
          error.code === "EADDRINUSE" ? portInUse(port) : `Cannot listen on ${host}:${port}: ${error.message}.`,
        ),
      ),
    );
    server.listen(port, host, () => server.close(() => resolve()));
  });
}
