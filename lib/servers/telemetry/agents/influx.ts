import { bounded, cpuKey, diskKey, type ReadingKey } from "./readings";

// The measurements of Telegraf's plugins, and of Proxmox VE's metric server.

/** The tags that keys depend on, and the one that names the machine. */
export const NO_TAGS = {
  host: undefined,
  object: undefined,
  cpu: undefined,
  path: undefined,
  fstype: undefined,
  mode: undefined,
  interface: undefined,
  url: undefined,
};
type Tag = keyof typeof NO_TAGS;
export type InfluxTags = Record<Tag, string | undefined>;
/** By their names. A text that was cut out of a body is a slower key of an object than these. */
export const INFLUX_TAGS: ReadonlyMap<string, Tag> = new Map(
  (Object.keys(NO_TAGS) as Tag[]).map((name) => [name, name]),
);

type Tags = Readonly<InfluxTags>;
type Fields = ReadonlyMap<string, (tags: Tags) => ReadingKey | null>;

const one = (key: ReadingKey) => () => key;
const fields = (keys: Record<string, (tags: Tags) => ReadingKey | null>): Fields => new Map(Object.entries(keys));
const disk =
  (size: string) =>
  ({ path, fstype, mode }: Tags) =>
    diskKey(path, fstype, size, mode);
/** Telegraf gives percentages of each core as well. */
const ofAll = (key: ReadingKey) => (tags: Tags) => (tags.cpu === "cpu-total" ? key : null);
/** Of Proxmox VE, whose "user" and "nice" leave out the time of guests. */
const CPU_STATES = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];
const spent = Object.fromEntries(CPU_STATES.map((state) => [state, () => cpuKey("all", state)]));

const MEASUREMENTS: ReadonlyMap<string, Fields> = new Map([
  [
    "cpu",
    fields({
      usage_idle: ofAll("cpu%|idle"),
      usage_iowait: ofAll("cpu%|iowait"),
      usage_steal: ofAll("cpu%|steal"),
    }),
  ],
  ["system", fields({ load5: one("load5"), uptime: one("uptime") })],
  ["mem", fields({ total: one("mem|total"), available: one("mem|available") })],
  [
    "zfs",
    fields({ arcstats_size: one("arc|size"), arcstats_c_min: one("arc|least"), arcstats_c_max: one("arc|most") }),
  ],
  ["swap", fields({ total: one("swap|total"), free: one("swap|free") })],
  ["disk", fields({ used: disk("used"), free: disk("available") })],
  [
    "net",
    fields({
      tcp_outsegs: ({ interface: name }) => (name === "all" ? "tcp|sent" : null),
      tcp_retranssegs: ({ interface: name }) => (name === "all" ? "tcp|resent" : null),
    }),
  ],
  ["nstat", fields({ TcpOutSegs: one("tcp|sent"), TcpRetransSegs: one("tcp|resent") })],
  ["kernel_vmstat", fields({ oom_kill: one("oom") })],
  ["ping", fields({ percent_packet_loss: ({ url }) => bounded(`loss|${url ?? ""}`) })],
  // Proxmox VE.
  ["cpustat", fields({ ...spent, avg5: one("load5") })],
  [
    "memory",
    fields({
      memtotal: one("mem|total"),
      memused: one("mem|taken"),
      arcsize: one("arc|size"),
      swaptotal: one("swap|total"),
      swapfree: one("swap|free"),
    }),
  ],
  [
    "blockstat",
    fields({
      blocks: () => diskKey("/", undefined, "size"),
      bfree: () => diskKey("/", undefined, "unused"),
      bavail: () => diskKey("/", undefined, "available"),
    }),
  ],
]);

/** What gives the keys of a measurement's fields; null when none is used. */
export function influxFields(measurement: string): Fields | null {
  return MEASUREMENTS.get(measurement) ?? null;
}

/** The key of a field; null when it is not used. Of Proxmox's objects only `nodes` is the machine itself. */
export function influxKey(fields: Fields, tags: Tags, field: string): ReadingKey | null {
  if (tags.object !== undefined && tags.object !== "nodes") return null;
  return fields.get(field)?.(tags) ?? null;
}
