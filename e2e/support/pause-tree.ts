import type { ChildProcess } from "node:child_process";
import { childrenOf } from "./child-processes";

/** Stops a server and all its children from running, without ending them: PostgreSQL has a process for each client. */
export function pauseTree(server: ChildProcess): { resume(): void } {
  const pids = [server.pid ?? 0, ...childrenOf(server.pid)];
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
