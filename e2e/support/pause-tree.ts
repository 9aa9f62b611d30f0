import type { ChildProcess } from "node:child_process";
import { childrenOf } from "./child-processes";

/** Stops a server and all its children from running, without ending them: PostgreSQL has a process for each client. */
export function pauseTree(server: ChildProcess): { resume(): void } {
  const parent = server.pid ?? 0;
  // The parent first: a stopped one starts no child, and a child that ends can still be sent a signal.
  process.kill(parent, "SIGSTOP");
  const children = childrenOf(parent);
  for (const pid of children) process.kill(pid, "SIGSTOP");
  return {
    resume() {
      for (const pid of [parent, ...children]) {
        try {
          process.kill(pid, "SIGCONT");
        } catch {
          // It was ending when it was stopped.
        }
      }
    },
  };
}
