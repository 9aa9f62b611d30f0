import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The ids of the processes that a process has started and that live; none when it is gone itself. */
export function childrenOf(pid: number | undefined): number[] {
  return readChildren(String(pid)).trim().split(/\s+/).filter(Boolean).map(Number);
}

function readChildren(pid: string): string {
  try {
    // Linux alone has /proc; elsewhere pgrep is always there.
    if (process.platform !== "linux") return execFileSync("pgrep", ["-P", pid], { encoding: "utf8" });
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")).join(" ");
  } catch {
    return "";
  }
}
