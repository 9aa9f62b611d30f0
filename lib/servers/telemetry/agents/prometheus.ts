import { factText } from "@/lib/servers/telemetry/report";
import { cpuKey, diskKey, type ReadingKey, type Readings } from "./readings";
import { hasReadOnlyRoot, machineOf } from "./sample";

// The series of Prometheus' node exporter.

type Labels = Readonly<Record<string, string>>;

const one = (key: ReadingKey) => () => key;
const disk = (size: string) => (labels: Labels) => diskKey(labels.mountpoint, labels.fstype, size);

const SERIES = new Map<string, (labels: Labels) => ReadingKey | null>([
  ["node_cpu_seconds_total", ({ cpu, mode }) => cpuKey(cpu, mode)],
  ["node_load5", one("load5")],
  ["node_memory_MemTotal_bytes", one("mem|total")],
  ["node_memory_MemAvailable_bytes", one("mem|available")],
  ["node_zfs_arc_size", one("arc|size")],
  ["node_zfs_arc_c_min", one("arc|least")],
  ["node_zfs_arc_c_max", one("arc|most")],
  ["node_memory_SwapTotal_bytes", one("swap|total")],
  ["node_memory_SwapFree_bytes", one("swap|free")],
  ["node_filesystem_size_bytes", disk("size")],
  ["node_filesystem_free_bytes", disk("unused")],
  ["node_filesystem_avail_bytes", disk("available")],
  ["node_filesystem_readonly", disk("readonly")],
  ["node_netstat_Tcp_OutSegs", one("tcp|sent")],
  ["node_netstat_Tcp_RetransSegs", one("tcp|resent")],
  ["node_vmstat_oom_kill", one("oom")],
  ["node_boot_time_seconds", one("boot")],
  ["node_systemd_units", ({ state }) => (state === "failed" ? "failed" : null)],
]);

/** Series that describe the machine by their labels. Their values are not read. */
const DESCRIPTIONS: readonly string[] = ["node_os_info", "node_uname_info"];

/** The names of every series that tells something; for what Prometheus is told to send. */
export const PROMETHEUS_SERIES: readonly string[] = [...SERIES.keys(), ...DESCRIPTIONS];

/** The labels that keys and facts depend on, and the one that names the machine. */
export const PROMETHEUS_LABELS: ReadonlySet<string> = new Set([
  "instance",
  "cpu",
  "mode",
  "mountpoint",
  "fstype",
  "state",
  "release",
  "machine",
  "sysname",
  "pretty_name",
]);

export function isPrometheusSeries(name: string): boolean {
  return SERIES.has(name) || isDescription(name);
}

export function isDescription(name: string): boolean {
  return DESCRIPTIONS.includes(name);
}

/** The key of a series; null when it is not used. */
export function prometheusKey(name: string, labels: Labels): ReadingKey | null {
  return SERIES.get(name)?.(labels) ?? null;
}

/** The labels of the series that describe the machine, by their names. */
export type Descriptions = Readonly<Record<string, Labels>>;

/** A label as a fact; null when it cannot be one. */
const factOf = (label: string | undefined) => factText.safeParse(label).data || null;

/** The facts of a machine, once everything that is needed for them has come in one request. */
export function prometheusFacts({ node_os_info: os, node_uname_info: uname }: Descriptions, readings: Readings) {
  const { cores, memoryMb } = machineOf(readings);
  const [kernel, arch] = [factOf(uname?.release), factOf(uname?.machine)];
  if (kernel === null || cores === null) return undefined;
  return {
    os: factOf(os?.pretty_name) ?? factOf(uname?.sysname) ?? "Linux",
    kernel,
    cores,
    ...(arch !== null && { arch }),
    ...(memoryMb !== null && { memory_mb: memoryMb }),
    ...(hasReadOnlyRoot(readings) && { read_only_root: true }),
  };
}
