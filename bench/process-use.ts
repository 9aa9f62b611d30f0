import { readFileSync, writeFileSync } from "node:fs";

/** The resource use of a process and its children. NaN outside Linux, because the values come from /proc. */
type ProcessUse = {
  cpuMs: number;
  /** Resident memory now, and the most there was. */
  residentMb: number;
  peakMb: number;
};

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;
const UNKNOWN = { cpuMs: Number.NaN, residentMb: Number.NaN, peakMb: Number.NaN };

export function readProcessUse(pid: number | undefined): ProcessUse {
  try {
    return sum(Number(pid));
  } catch {
    return UNKNOWN;
  }
}

/** Resets the peak memory of a process, where the system can. */
export function forgetPeak(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Only Linux can, and only with permission.
  }
}

function sum(pid: number): ProcessUse {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
  // Behind the name of the program, which can hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const own = {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentMb: megabytes("VmRSS"),
    peakMb: megabytes("VmHWM"),
  };
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children
    .map(Number)
    .map(sum)
    .reduce(
      (all, child) => ({
        cpuMs: all.cpuMs + child.cpuMs,
        residentMb: all.residentMb + child.residentMb,
        peakMb: all.peakMb + child.peakMb,
      }),
      own,
    );
}
