import { bounded, cpuKey, diskKey, type ReadingKey } from "./readings";

// The values of collectd's plugins.

/** What a value is called, as in collectd's identifiers. `source` is the name within its type. */
type CollectdName = {
  plugin: string;
  pluginInstance: string;
  type: string;
  typeInstance: string;
  source: string;
};

/** A key, and by what the value is multiplied. */
type CollectdReading = { key: ReadingKey; factor: number };

const CPU_STATES: Readonly<Record<string, string>> = { wait: "iowait", interrupt: "irq" };
const MEMORY = new Map([
  ["used", "mem|used"],
  ["free", "mem|free"],
  ["buffered", "mem|buffered"],
  ["cached", "mem|cached"],
  ["slab_recl", "mem|reclaimable"],
  ["slab_unrecl", "mem|unreclaimable"],
]);
const SWAP = new Map([
  ["used", "swap|used"],
  ["free", "swap|free"],
]);
const SEGMENTS = new Map([
  ["OutSegs", "tcp|sent"],
  ["RetransSegs", "tcp|resent"],
]);
const DISK_SIZES = new Map([
  ["used", "used"],
  ["free", "available"],
]);

const TYPES = new Map<string, (name: CollectdName) => ReadingKey | null | undefined>([
  ["cpu cpu", ({ pluginInstance, typeInstance }) => cpuKey(pluginInstance || "all", stateOf(typeInstance))],
  ["cpu percent", ({ pluginInstance, typeInstance }) => percentKey(pluginInstance, stateOf(typeInstance))],
  ["load load", ({ source }) => (source === "midterm" ? "load5" : null)],
  ["memory memory", ({ typeInstance }) => MEMORY.get(typeInstance)],
  ["swap swap", ({ typeInstance }) => SWAP.get(typeInstance)],
  ["df df_complex", ({ pluginInstance, typeInstance }) => dfKey(pluginInstance, DISK_SIZES.get(typeInstance))],
  [
    "protocols protocol_counter",
    ({ pluginInstance, typeInstance }) => (pluginInstance === "Tcp" ? SEGMENTS.get(typeInstance) : null),
  ],
  ["uptime uptime", () => "uptime"],
  ["ping ping_droprate", ({ typeInstance }) => bounded(`loss|${typeInstance}`)],
]);

/** The key of a value; null when it is not used. */
export function collectdReading(name: CollectdName): CollectdReading | null {
  const kind = `${name.plugin} ${name.type}`;
  const key = TYPES.get(kind)?.(name) ?? null;
  return key === null ? null : { key, factor: name.plugin === "ping" ? 100 : 1 };
}

function stateOf(typeInstance: string): string {
  return CPU_STATES[typeInstance] ?? typeInstance;
}

/** Percentages of all cores; those of single cores are left alone. */
function percentKey(core: string, state: string): ReadingKey | null {
  return core === "" && ["idle", "iowait", "steal"].includes(state) ? `cpu%|${state}` : null;
}

/** collectd writes a mount with hyphens, and tells no type: its configuration chooses the file systems. */
function dfKey(mount: string, size: string | undefined): ReadingKey | null {
  return size === undefined ? null : diskKey(mount, undefined, size);
}
