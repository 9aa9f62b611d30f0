import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createClient } from "@redis/client";
import { atExit } from "./at-exit";
import { freePort } from "./free-port";
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
  let child = await launch();

  async function launch(): Promise<ChildProcess> {
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    const server = spawn("redis-server", args, { stdio: "ignore" });
    atExit(() => server.kill("SIGKILL"));
    await untilReady(url);
    return server;
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  return {
    url,
    process: () => child,
    kill,
    async restart() {
      child = await launch();
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
