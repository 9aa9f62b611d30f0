import type { ChildProcess } from "node:child_process";
import { childrenOf } from "./child-processes";

/** Stops a server and all its children from running, without ending them: PostgreSQL has a process for each client. */
export function pauseTree(server: ChildProcess): { resume(): void } {
  const parent = server.pid ?? 0;
  // First, so that from here on no child is added, and none that ends is gone.
  process.kill(parent, "SIGSTOP");
  const pids = [parent, ...childrenOf(parent)];
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return {
    resume() {
      for (const pid of pids) {
        try {
          process.kill(pid, "SIGCONT");
        } catch {
          // It was ending when it was stopped.
        }
      }
    },
  };
}
