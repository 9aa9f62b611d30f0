import { SECOND } from "@/lib/format/time";
import {
  eachMeasurement,
  MEASUREMENTS,
  type Measurement,
  type Sample,
  UNITS,
} from "@/lib/servers/telemetry/measurements";
import type { Finished } from "./instants";
import type { Readings } from "./readings";

const MB = 2 ** 20;

/** The sample of an instant. Counters are differenced from the instant before. What is unknown or impossible is null. */
export function sampleOfInstant({ instant, previous }: Finished): Sample {
  const now = instant.readings;
  const uptimeS = uptimeOf(now, instant.ts);
  const uptimeBefore = previous && uptimeOf(previous.readings, previous.ts);
  // Counters begin again with the machine.
  const hasRestarted = uptimeS !== null && uptimeBefore !== null && uptimeS < uptimeBefore;
  const before = hasRestarted ? null : (previous?.readings ?? null);
  const values: Partial<Record<Measurement, number | null>> = {
    ...processorsOf(now, before),
    load5: readingOf(now, "load5"),
    ...memoryOf(now),
    swapUsedPct: swapOf(now),
    diskUsedPct: fullestDiskOf(now),
    netLossPct: meanOf(now, "loss|"),
    netRetransmitPct: percent(difference(now, before, "tcp|resent"), difference(now, before, "tcp|sent")),
    uptimeS,
    oomKills: hasRestarted ? readingOf(now, "oom") : difference(now, before, "oom"),
    failedUnits: readingOf(now, "failed"),
  };
  return eachMeasurement((name) => possible(name, values[name] ?? null));
}

/** The number of cores and the bytes of memory in an instant; null where they are missing. */
export function machineOf(readings: Readings): { cores: number | null; memoryMb: number | null } {
  const cores = new Set(Object.keys(readings).flatMap((key) => /^cpu\|(\d+)\|/.exec(key)?.[1] ?? [])).size;
  const { memTotalMb } = memoryOf(readings);
  return { cores: cores === 0 ? null : cores, memoryMb: memTotalMb === null ? null : Math.round(memTotalMb) };
}

function possible(name: Measurement, value: number | null): number | null {
  const rounded = value === null ? null : Math.round(value * 100) / 100;
  const parsed = UNITS[MEASUREMENTS[name].unit].range.safeParse(rounded);
  return parsed.success ? parsed.data : null;
}

type Processors = Record<"cpuPct" | "cpuStealPct" | "cpuIowaitPct", number | null>;

function processorsOf(now: Readings, before: Readings | null): Processors {
  const idle = readingOf(now, "cpu%|idle");
  if (idle !== null) {
    const [iowait, steal] = [readingOf(now, "cpu%|iowait"), readingOf(now, "cpu%|steal")];
    return { cpuPct: clamp(100 - idle - (iowait ?? 0)), cpuStealPct: steal, cpuIowaitPct: iowait };
  }
  const spent: Record<string, number> = {};
  let all = 0;
  for (const key of Object.keys(now)) {
    const grown = key.startsWith("cpu|") ? difference(now, before, key) : null;
    if (grown === null) continue;
    const state = key.slice(key.lastIndexOf("|") + 1);
    // The kernel's idle and iowait of a core may step back a little.
    spent[state] = (spent[state] ?? 0) + Math.max(0, grown);
    all += Math.max(0, grown);
  }
  const share = (state: string) => percent(spent[state] ?? null, all);
  const rest = all - (spent.idle ?? 0) - (spent.iowait ?? 0);
  return {
    cpuPct: "idle" in spent ? percent(rest, all) : null,
    cpuStealPct: share("steal"),
    cpuIowaitPct: share("iowait"),
  };
}

/** What is available counts as free, as the daemon does; where an agent does not tell it, caches count as free. */
function memoryOf(now: Readings): { memUsedMb: number | null; memTotalMb: number | null } {
  const of = (part: string) => readingOf(now, `mem|${part}`);
  const parts = ["used", "free", "buffered", "cached", "reclaimable", "unreclaimable"].map(of);
  const [inUse = null, free, , , , unreclaimable] = parts;
  const summed = inUse === null || free == null ? null : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  const [total, available] = [of("total") ?? summed, of("available")];
  const taken = of("taken") ?? (total === null || available === null ? null : total - available);
  const used = taken ?? (inUse === null ? null : inUse + (unreclaimable ?? 0));
  return { memUsedMb: used === null ? null : used / MB, memTotalMb: total === null ? null : total / MB };
}

function swapOf(now: Readings): number | null {
  const [total, free, used] = ["total", "free", "used"].map((part) => sumOf(now, `swap|${part}`));
  const all = total ?? (used == null || free == null ? null : used + free);
  if (all == null) return null;
  if (all === 0) return 0;
  return percent(used ?? (free == null ? null : all - free), all);
}

/** How full the fullest file system is, of what those who are not root may use, as df computes it. */
function fullestDiskOf(now: Readings): number | null {
  let fullest: number | null = null;
  for (const key of Object.keys(now)) {
    if (!key.startsWith("disk|") || !/\|(?:available|percent)$/.test(key)) continue;
    const disk = key.slice(0, key.lastIndexOf("|") + 1);
    const of = (size: string) => readingOf(now, disk + size);
    const [size, unused, available] = [of("size"), of("unused"), of("available")];
    const used = of("used") ?? (size === null || unused === null ? null : size - unused);
    const share = of("percent") ?? (used === null || available === null ? null : percent(used, used + available));
    if (share !== null && (fullest === null || share > fullest)) fullest = share;
  }
  return fullest;
}

function uptimeOf(readings: Readings, ts: number): number | null {
  const boot = readingOf(readings, "boot");
  const uptime = readingOf(readings, "uptime") ?? (boot === null ? null : ts / SECOND - boot);
  return uptime !== null && uptime >= 0 ? uptime : null;
}

function readingOf(readings: Readings, key: string): number | null {
  return readings[key] ?? null;
}

function valuesOf(readings: Readings, prefix: string): number[] {
  return Object.keys(readings)
    .filter((key) => key.startsWith(prefix))
    .map((key) => readings[key] as number);
}

function sumOf(readings: Readings, prefix: string): number | null {
  const values = valuesOf(readings, prefix);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

function meanOf(readings: Readings, prefix: string): number | null {
  const sum = sumOf(readings, prefix);
  return sum === null ? null : sum / valuesOf(readings, prefix).length;
}

function difference(now: Readings, before: Readings | null, key: string): number | null {
  const [from, to] = [before?.[key], now[key]];
  return from === undefined || to === undefined ? null : to - from;
}

function percent(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole <= 0 ? null : clamp((100 * part) / whole);
}

function clamp(value: number): number {
  return Math.min(100, Math.max(0, value));
}
