import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The ids of the processes that a process has started and that live; none when it is gone itself. */
export function childrenOf(parent: number | undefined): number[] {
  // Linux alone has /proc; elsewhere pgrep is always there.
  if (process.platform !== "linux") return pgrep(parent);
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);
}

/** Whether a process runs. One that has ended and that nobody asks for its exit code does not. */
export function isAlive(pid: number): boolean {
  if (process.platform === "linux") return parentOf(pid) !== null;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function parentOf(pid: number): number | null {
  try {
    // "pid (name) state parent …", where the name may hold anything. A process that has ended and waits for its parent is Z.
    const [, state, parent] = /\) (\S) (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return state === "Z" ? null : Number(parent);
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

function pgrep(parent: number | undefined): number[] {
  try {
    return execFileSync("pgrep", ["-P", String(parent)], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number);
  } catch {
    return [];
  }
}
