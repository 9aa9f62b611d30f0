import { createServer } from "node:net";
import { portInUse } from "./app-process";
import { CommandError } from "./command-error";

/** Finds out before a minute of building whether the server will be able to listen. @throws CommandError */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new CommandError(
          error.code === "EADDRINUSE" ? portInUse(port) : `Cannot listen on ${host}:${port}: ${error.message}.`,
        ),
      ),
    );
    server.listen(port, host, () => server.close(() => resolve()));
  });
}
