import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

type ReadyProcess<Message> = { message: Message; child: ChildProcess; stop(): Promise<void> };

/** Starts a TypeScript file of the tests as a process of its own and waits for its one message. */
export async function startReadyProcess<Message>(
  file: string,
  args: string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<ReadyProcess<Message>> {
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const [message] = await Promise.race([
    once(child, "message"),
    exited.then(() => Promise.reject(new Error(`${file} ended before it was ready.`))),
  ]);
  return {
    message,
    child,
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
