import type { ChildProcess } from "node:child_process";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";
import { tryToConnect } from "./try-to-connect";

/** A Redis server of the test's own, without files. */
export type RedisServer = {
  url: string;
  /** The server process, for tests that pause it. */
  process(): ChildProcess;
  kill(): Promise<void>;
  /** Starts again, empty, on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await launch();

  async function launch() {
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    const launched = startProgram("redis-server", args, { stdio: "ignore" });
    await launched.until(async () => (await tryToConnect("127.0.0.1", port)) === "connected");
    return launched;
  }

  const kill = () => server.stop("SIGKILL");
  return {
    url,
    process: () => server.child,
    kill,
    async restart() {
      server = await launch();
    },
    stop: kill,
  };
}
