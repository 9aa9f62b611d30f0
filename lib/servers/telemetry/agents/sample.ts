import { SECOND } from "@/lib/format/time";
import {
  eachMeasurement,
  MEASUREMENTS,
  type Measurement,
  type Sample,
  UNITS,
} from "@/lib/servers/telemetry/measurements";
import type { Finished, Instant } from "./instants";
import { READ_ONLY_DISK, type Readings } from "./readings";

const MB = 2 ** 20;

/** The sample of an instant. Counters are differenced from the instant before. What is unknown or impossible is null. */
export function sampleOfInstant({ instant, previous }: Finished): Sample {
  const now = instant.readings;
  const uptimeS = uptimeOf(now, instant.ts);
  // After a restart one instant has no differences, of whichever counter.
  const isFirst = previous === null || isAfterBoot(instant, previous) || haveFallen(now, previous.readings);
  const before = isFirst ? null : previous.readings;
  const values: Partial<Record<Measurement, number | null>> = {
    ...processorsOf(now, before),
    load5: readingOf(now, "load5"),
    ...memoryOf(now),
    swapUsedPct: swapOf(now),
    diskUsedPct: fullestDiskOf(now),
    netLossPct: meanOf(now, "loss|"),
    netRetransmitPct: percent(difference(now, before, "tcp|resent"), difference(now, before, "tcp|sent")),
    uptimeS,
    oomKills: difference(now, before, "oom"),
    failedUnits: readingOf(now, "failed"),
  };
  return eachMeasurement((name) => possible(name, values[name] ?? null));
}

/** Clocks that are set by a little move the time of the boot as well. In seconds. */
const SAME_START = 2;
/** Agents read their plugins one after the other: an uptime may be so much older than its instant. In seconds. */
const SAME_UPTIME = 30;

/** Whether the machine has started anew between two instants, by its uptime or the time of its start. */
function isAfterBoot(now: Instant, before: Instant): boolean {
  const [uptime, earlier] = [uptimeOf(now.readings, now.ts), uptimeOf(before.readings, before.ts)];
  const passed = (now.ts - before.ts) / SECOND;
  if (uptime !== null && earlier !== null && (uptime < earlier || earlier + passed - uptime > SAME_UPTIME)) return true;
  return ["boot", "start"].some((key) => {
    const [from, to] = [readingOf(before.readings, key), readingOf(now.readings, key)];
    // What lies ahead is no start.
    if (from === null || to === null || from > before.ts / SECOND || to > now.ts / SECOND) return false;
    return Math.abs(to - from) > SAME_START;
  });
}

const NEVER_FALL = ["tcp|sent", "tcp|resent", "oom"];

/**
 * Whether counters began again. Of the CPU all that both instants have counts together: the idle time of a single core may
 * step back on a running machine.
 */
function haveFallen(now: Readings, before: Readings): boolean {
  const grown = Object.keys(now).flatMap((key) => (key.startsWith("cpu|") ? (difference(now, before, key) ?? []) : []));
  const total = grown.reduce((sum, each) => sum + each, 0);
  return total < 0 || NEVER_FALL.some((key) => (difference(now, before, key) ?? 0) < 0);
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
  const parts = ["used", "free", "buffered", "cached"].map(of);
  const [inUse = null, free] = parts;
  const summed = inUse === null || free == null ? null : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  const [total, available] = [of("total") ?? summed, of("available")];
  const taken = of("taken") ?? (total === null || available === null ? null : total - available);
  const withCache = taken ?? inUse;
  const used = withCache === null || total === null ? withCache : withCache - cacheOfZfs(now, withCache, total);
  return { memUsedMb: used === null ? null : used / MB, memTotalMb: total === null ? null : total / MB };
}

/** Proxmox VE does not tell the least size of the cache, which by default is this part of the memory. */
const LEAST_CACHE = 1 / 32;

/** How much the cache of ZFS gives back on demand. 0 where it cannot be the cache of this machine: a container sees its host's. */
function cacheOfZfs(now: Readings, used: number, total: number): number {
  const [size, most, taken] = ["arc|size", "arc|most", "mem|taken"].map((key) => readingOf(now, key));
  const least = readingOf(now, "arc|least") ?? (taken == null ? null : total * LEAST_CACHE);
  if (size == null || least === null || (most ?? 0) > total) return 0;
  const spare = Math.max(0, size - least);
  return spare < used ? spare : 0;
}

function swapOf(now: Readings): number | null {
  const [total, free, used] = ["total", "free", "used"].map((part) => sumOf(now, `swap|${part}`));
  const all = total ?? (used == null || free == null ? null : used + free);
  if (all == null) return null;
  if (all === 0) return 0;
  return percent(used ?? (free == null ? null : all - free), all);
}

/** A file system. `share`: how full it is in percent, of what those who are not root may use, as df computes it. */
type Disk = { isRoot: boolean; isReadOnly: boolean; size: number; share: number };

function disksOf(now: Readings): Disk[] {
  return Object.keys(now).flatMap((key) => {
    if (!/^disk\|.*\|available$/.test(key)) return [];
    const disk = key.slice(0, key.lastIndexOf("|") + 1);
    const of = (part: string) => readingOf(now, disk + part);
    const [size, unused, available] = [of("size"), of("unused"), of("available")];
    const used = of("used") ?? (size === null || unused === null ? null : size - unused);
    const share = used === null || available === null ? null : percent(used, used + available);
    if (used === null || available === null || share === null) return [];
    const isReadOnly = disk.startsWith(READ_ONLY_DISK) || of("readonly") === 1;
    return { isRoot: /^disk\|(?:ro\|)?\/\|$/.test(disk), isReadOnly, size: size ?? used + available, share };
  });
}

/**
 * Whether "read-only" says something about the agent alone: it may write nowhere, or elsewhere in the same file system, as a
 * service of systemd that has its own /var/tmp.
 */
function isSandboxed(disks: readonly Disk[]): boolean {
  const written = disks.filter(({ isReadOnly }) => !isReadOnly);
  const isSame = (one: Disk, other: Disk) => one.size === other.size && Math.abs(one.share - other.share) < 0.1;
  return written.length === 0 || disks.some((one) => one.isReadOnly && written.some((other) => isSame(one, other)));
}

/** What is read-only is full by design, such as an image; the root counts all the same, and so do all in a sandbox. */
function fullestDiskOf(now: Readings): number | null {
  const disks = disksOf(now);
  const counting = isSandboxed(disks) ? disks : disks.filter(({ isRoot, isReadOnly }) => isRoot || !isReadOnly);
  return counting.length === 0 ? null : Math.max(...counting.map(({ share }) => share));
}

/** Whether the root became read-only, while other file systems did not. */
export function hasReadOnlyRoot(now: Readings): boolean {
  const disks = disksOf(now);
  return disks.some(({ isRoot, isReadOnly }) => isRoot && isReadOnly) && !isSandboxed(disks);
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
  return Object.entries(readings).flatMap(([key, value]) => (key.startsWith(prefix) ? [value] : []));
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
