import { expect, test } from "vitest";
import { SECOND } from "@/lib/format/time";
import { influxFields, influxKey, NO_TAGS } from "./influx";
import { otlpKey } from "./otlp";
import { prometheusFacts, prometheusKey } from "./prometheus";
import type { Readings } from "./readings";
import { sampleOfInstant } from "./sample";

const GB = 2 ** 30;
const TS = 1_800_000_000_000;

const sampleOf = (now: Readings, before?: Readings, ts = TS) =>
  sampleOfInstant({
    instant: { ts, until: ts, readings: now },
    previous: before ? { ts: TS - 30 * SECOND, until: TS - 30 * SECOND, readings: before } : null,
  });

const COUNTERS: Readings = {
  "cpu|0|idle": 900,
  "cpu|0|user": 100,
  "cpu|1|idle": 800,
  "cpu|1|user": 200,
  "cpu|1|iowait": 5,
  "tcp|sent": 1000,
  "tcp|resent": 10,
  oom: 3,
};
const LATER: Readings = {
  "cpu|0|idle": 920,
  "cpu|0|user": 110,
  "cpu|1|idle": 820,
  "cpu|1|user": 210,
  "cpu|1|iowait": 5,
  "tcp|sent": 1100,
  "tcp|resent": 11,
  oom: 3,
};

test("a restart of the source yields one instant without differences of any counter", () => {
  const none = { cpuPct: null, cpuStealPct: null, cpuIowaitPct: null, netRetransmitPct: null, oomKills: null };
  const grown = { cpuPct: 33.33, netRetransmitPct: 1, oomKills: 0 };
  expect(sampleOf(LATER, COUNTERS)).toMatchObject(grown);
  for (const [before, now] of [
    [{ uptime: 5000 }, { uptime: 20 }],
    [{ boot: 1000 }, { boot: 1_700_000_000 }],
    [{ start: 1000 }, { start: 1_700_000_000 }],
    // All cores together went back, though one state of one core grew.
    [{}, { "cpu|0|idle": 10, "cpu|0|user": 101, "cpu|1|idle": 9, "cpu|1|user": 1 }],
    [{}, { "tcp|sent": 5 }],
    [{}, { "tcp|resent": 0 }],
    [{}, { oom: 0 }],
    [{ uptime: 5000 }, { ...Object.fromEntries(Object.keys(LATER).map((key) => [key, 2])), uptime: 20 }],
    [{ "cpu|2|idle": 9000 }, { "cpu|0|idle": 1, "cpu|1|idle": 1, "cpu|3|idle": 99_999 }],
  ] as [Readings, Readings][]) {
    expect(sampleOf({ ...LATER, ...now }, { ...COUNTERS, ...before }), JSON.stringify(now)).toMatchObject(none);
  }
  // Linux takes back a little of the idle time of a core, and a clock that is set moves the time of the boot.
  expect(sampleOf({ ...LATER, "cpu|1|iowait": 4 }, COUNTERS).cpuPct).toBe(33.33);
  expect(sampleOf({ ...LATER, "cpu|0|idle": 899 }, COUNTERS).cpuPct).toBe(50);
  expect(sampleOf({ ...LATER, boot: 1001 }, { ...COUNTERS, boot: 1000 })).toMatchObject(grown);
  expect(sampleOf({ ...LATER, uptime: 525 }, { ...COUNTERS, uptime: 500 })).toMatchObject(grown);
  // After a long silence the uptime may be the greater one again.
  expect(sampleOf({ ...LATER, uptime: 600 }, { ...COUNTERS, uptime: 500 }, TS + 3_600_000)).toMatchObject(none);
});

/** What a field of a measurement of line protocol is called. */
const influx = (measurement: string, field: string, tags = {}) => {
  const fields = influxFields(measurement);
  return (fields && influxKey(fields, { ...NO_TAGS, ...tags }, field)) ?? "";
};

test("ZFS cache counts as free down to its minimum if it is the machine's", () => {
  const used = (readings: Readings) => (sampleOf(readings).memUsedMb ?? 0) / 1024;
  const exporter = (size: number, least: number, most = 60) => ({
    [prometheusKey("node_memory_MemTotal_bytes", {}) ?? ""]: 64 * GB,
    [prometheusKey("node_memory_MemAvailable_bytes", {}) ?? ""]: 6 * GB,
    [prometheusKey("node_zfs_arc_size", {}) ?? ""]: size * GB,
    [prometheusKey("node_zfs_arc_c_min", {}) ?? ""]: least * GB,
    [prometheusKey("node_zfs_arc_c_max", {}) ?? ""]: most * GB,
  });
  expect(used(exporter(40, 2))).toBe(20);
  expect(used(exporter(1, 2))).toBe(58);
  expect(used(exporter(63, 2))).toBe(58);
  expect(used(exporter(40, 2, 200))).toBe(58);
  expect(used({ "mem|total": 64 * GB, "mem|available": 6 * GB, "arc|size": 40 * GB })).toBe(58);
  const telegraf = { [influx("mem", "total")]: 64 * GB, [influx("mem", "available")]: 6 * GB };
  const arc = { [influx("zfs", "arcstats_size")]: 40 * GB, [influx("zfs", "arcstats_c_min")]: 2 * GB };
  expect(used({ ...telegraf, ...arc })).toBe(20);
  const proxmox = { [influx("memory", "memtotal")]: 64 * GB, [influx("memory", "memused")]: 58 * GB };
  expect(used({ ...proxmox, [influx("memory", "arcsize")]: 40 * GB })).toBe(20);
});

test("a read-only file system is never the fullest, unless it is the root", () => {
  const tags = { fstype: "ext4" };
  const telegraf = (path: string, used: number, mode?: string) => ({
    [influx("disk", "used", { ...tags, path, mode })]: used,
    [influx("disk", "free", { ...tags, path, mode })]: 100 - used,
  });
  const collector = (mountpoint: string, used: number, mode: string) => ({
    [otlpKey("system.filesystem.usage", { mountpoint, type: "ext4", mode, state: "used" }) ?? ""]: used,
    [otlpKey("system.filesystem.usage", { mountpoint, type: "ext4", mode, state: "free" }) ?? ""]: 100 - used,
  });
  const exporter = (mountpoint: string, used: number, mode?: string) => {
    const key = (name: string) => prometheusKey(`node_filesystem_${name}`, { mountpoint, fstype: "ext4" }) ?? "";
    const sizes = { [key("size_bytes")]: 100, [key("free_bytes")]: 100 - used, [key("avail_bytes")]: 100 - used };
    return mode === undefined ? sizes : { ...sizes, [key("readonly")]: Number(mode === "ro") };
  };
  for (const disk of [telegraf, collector, exporter]) {
    const fullest = (...disks: Readings[]) => sampleOf(Object.assign({}, ...disks)).diskUsedPct;
    expect(fullest(disk("/", 20, "rw"), disk("/iso", 100, "ro"))).toBe(20);
    expect(fullest(disk("/", 90, "ro"), disk("/iso", 100, "ro"), disk("/data", 30, "rw"))).toBe(90);
    expect(fullest(disk("/", 20, "ro"), disk("/data", 70, "ro"))).toBe(70);
    // A service of systemd may have its own /var/tmp, of the file system of the root.
    expect(fullest(disk("/", 20, "ro"), disk("/data", 70, "ro"), disk("/var/tmp", 20, "rw"))).toBe(70);
  }
  // A root that was made as an image is no exception.
  for (const [fstype, mode] of [["erofs"], ["squashfs"], ["overlay", "ro"]] as const) {
    expect(influx("disk", "used", { fstype, mode, path: "/" })).toBe("");
  }
  expect(influx("disk", "used", { fstype: "overlay", mode: "rw", path: "/" })).not.toBe("");
  const facts = (...disks: Readings[]) =>
    prometheusFacts({ node_uname_info: { release: "6.12" } }, Object.assign({}, COUNTERS, ...disks));
  expect(facts(exporter("/", 20, "ro"), exporter("/data", 30, "rw"))).toMatchObject({ read_only_root: true });
  expect(facts(exporter("/", 20, "rw"), exporter("/iso", 30, "ro"))).not.toHaveProperty("read_only_root");
  for (const other of [exporter("/data", 30, "ro"), exporter("/var/tmp", 20, "rw")]) {
    expect(facts(exporter("/", 20, "ro"), other)).not.toHaveProperty("read_only_root");
  }
});
