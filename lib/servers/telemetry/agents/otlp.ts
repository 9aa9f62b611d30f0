import { bounded, cpuKey, diskKey, type ReadingKey } from "./readings";

// The metrics of the OpenTelemetry Collector's hostmetrics receiver.

type Attributes = Readonly<Record<string, string>>;

const CPU_STATES: Readonly<Record<string, string>> = { wait: "iowait", interrupt: "irq" };
const MEMORY_STATES = ["used", "free", "buffered", "cached"];
const SWAP_STATES = ["used", "free"];
const DISK_SIZES = new Map([
  ["used", "used"],
  // What those who are not root may use.
  ["free", "available"],
]);

const METRICS = new Map<string, (attributes: Attributes) => ReadingKey | null>([
  ["system.cpu.time", ({ cpu, state = "" }) => cpuKey(coreOf(cpu), CPU_STATES[state] ?? state)],
  ["system.cpu.load_average.5m", () => "load5"],
  ["system.memory.usage", ({ state = "" }) => (MEMORY_STATES.includes(state) ? `mem|${state}` : null)],
  ["system.memory.limit", () => "mem|total"],
  ["system.linux.memory.available", () => "mem|available"],
  [
    "system.paging.usage",
    ({ state = "", device = "" }) => (SWAP_STATES.includes(state) ? bounded(`swap|${state}|${device}`) : null),
  ],
  [
    "system.filesystem.usage",
    ({ mountpoint, type, mode, state = "" }) => {
      const size = DISK_SIZES.get(state);
      return size === undefined ? null : diskKey(mountpoint, type, size, mode);
    },
  ],
  ["system.uptime", () => "uptime"],
]);

/** The key of a data point; null when it is not used. */
export function otlpKey(metric: string, attributes: Attributes): ReadingKey | null {
  return METRICS.get(metric)?.(attributes) ?? null;
}

export function isOtlpMetric(metric: string): boolean {
  return METRICS.has(metric);
}

/** The Collector calls its cores cpu0, cpu1 …; without a name it is all of them. */
function coreOf(cpu: string | undefined): string {
  return cpu === undefined ? "all" : cpu.replace(/^cpu/, "");
}
