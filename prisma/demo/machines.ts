import { eachMeasurement, type Measurement, type Sample } from "@/lib/servers/telemetry/measurements";
import type { Machine, Range } from "./data";

/** How busy a machine is, 0 to 1, and how full: its memory, swap and disks move more slowly. */
export type Moment = { busy: number; filled: number };

const FULL = new Set<Measurement>(["memUsedMb", "swapUsedPct", "diskUsedPct"]);
/** Percentages that no machine describes. */
const USUAL: Range = [5, 60];

/** Whether a measurement follows how full its machine is. */
export function isOfFullness(measurement: Measurement): boolean {
  return FULL.has(measurement);
}

/** What the daemon of a machine measures. Of what happens between two check-ins it says nothing. */
export function sampleAt({ facts, ranges, memoryPct, loadFactor, failedUnits }: Machine, moment: Moment): Sample {
  const within = ([quiet, busy]: Range, part: number) => Math.round((quiet + (busy - quiet) * part) * 100) / 100;
  const sample = eachMeasurement((name, { unit }) => {
    const range = name in ranges ? ranges[name] : unit === "percent" ? USUAL : null;
    return range ? within(range, isOfFullness(name) ? moment.filled : moment.busy) : null;
  });
  return {
    ...sample,
    load5: Math.round((sample.cpuPct ?? 0) * facts.cores * loadFactor) / 100,
    memUsedMb: Math.round((within(memoryPct, moment.filled) / 100) * facts.memory_mb),
    memTotalMb: facts.memory_mb,
    failedUnits,
  };
}
