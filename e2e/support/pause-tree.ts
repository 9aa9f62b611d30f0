import { type ChildProcess, execFileSync } from "node:child_process";

/** Stops a server and all its children from running, without ending them: PostgreSQL has a process for each client. */
export function pauseTree(server: ChildProcess): { resume(): void } {
  const children = execFileSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number);
  const pids = [server.pid ?? 0, ...children];
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return {
    resume() {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    },
  };
}
