import { readFileSync } from "node:fs";

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** The CPU time (ms) of a process and its children so far. NaN outside Linux, because it comes from /proc. */
export function readCpuMs(pid: number | undefined): number {
  try {
    return sum(Number(pid));
  } catch {
    return Number.NaN;
  }
}

function sum(pid: number): number {
  // Behind the name of the program, which can hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  const own = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  return children
    .map(Number)
    .map(sum)
    .reduce((all, child) => all + child, own);
}
