import type { ChildProcess } from "node:child_process";
import { createClient } from "@redis/client";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";
import { FACT } from "./patience";

const RETRY_MS = 25;

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
    await untilReady(url);
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

async function untilReady(url: string): Promise<void> {
  const client = createClient({
    url,
    socket: { reconnectStrategy: (attempts) => (attempts < FACT / RETRY_MS ? RETRY_MS : false) },
  });
  client.on("error", () => {});
  await client.connect();
  await client.ping();
  client.destroy();
}
