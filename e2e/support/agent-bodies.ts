// What stock agents send, as they write it. Tests of real programs are in e2e/operations; here are bodies that are bent.

import { type Labels, type Series, varint } from "@/e2e/support/write-request";

/** Packs bytes into a block of Snappy, without copies of what came before. */
export function snappy(bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(bytes.length), ...literals(bytes)]);
}

function literals(bytes: Uint8Array): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += 65_536) {
    const part = bytes.subarray(from, from + 65_536);
    parts.push(Buffer.from([61 << 2, (part.length - 1) & 255, (part.length - 1) >> 8]), Buffer.from(part));
  }
  return parts;
}

/** What changes between two readings of a machine: seconds of each core by state, segments, processes killed. */
export type Counters = {
  busy: number;
  idle: number;
  iowait: number;
  steal: number;
  sent: number;
  resent: number;
  oom: number;
};

const GB = 1024 ** 3;
const BOOT = 1_700_000_000;
/** States that no core is in. */
const QUIET = { nice: 0, system: 0, irq: 0, softirq: 0 };

/** What sampleOf says of two readings of `nodeExporterSeries` that grew by `GROWTH`. */
export const START: Counters = { busy: 1000, idle: 5000, iowait: 50, steal: 10, sent: 100_000, resent: 40, oom: 2 };
export const GROWTH: Counters = { busy: 4, idle: 10, iowait: 1, steal: 1, sent: 2000, resent: 10, oom: 1 };

/** The states of a processor by the Collector's names. */
function statesOf({ busy, idle, iowait, steal }: Counters) {
  const { irq: interrupt, ...quiet } = QUIET;
  return { user: busy, idle, wait: iowait, steal, ...quiet, interrupt };
}

export function grown(times: number): Counters {
  const names = Object.keys(START) as (keyof Counters)[];
  return Object.fromEntries(names.map((name) => [name, START[name] + times * GROWTH[name]])) as Counters;
}

/** The measurements of a machine that has grown once since the reading before: per core 16 seconds, of which 4 busy and 1 stolen. */
export const MEASURED = {
  cpuPct: 31.25,
  cpuStealPct: 6.25,
  cpuIowaitPct: 6.25,
  load5: 0.75,
  memUsedMb: 3072,
  memTotalMb: 8192,
  swapUsedPct: 25,
  diskUsedPct: 75,
  netRetransmitPct: 0.5,
  oomKills: 1,
} as const;

/** The names of a machine's cores, after a prefix. */
const coreNames = (cores: number, prefix = "") => Array.from({ length: cores }, (_, core) => `${prefix}${core}`);

/** The series of a node exporter, and some that are none of ours. */
export function nodeExporterSeries(ms: number, counters: Counters, instance = "localhost:9100", cores = 2): Series[] {
  const one = (name: string, value: number, labels: Labels = {}): Series => ({
    labels: { __name__: name, instance, job: "node", ...labels },
    samples: [[ms, value]],
  });
  const cpu = (core: string) =>
    Object.entries({
      user: counters.busy,
      idle: counters.idle,
      iowait: counters.iowait,
      steal: counters.steal,
      ...QUIET,
    }).map(([mode, value]) => one("node_cpu_seconds_total", value, { cpu: core, mode }));
  const disk = (mountpoint: string, fstype: string, size: number, free: number, avail: number) =>
    Object.entries({ size, free, avail }).map(([what, value]) =>
      one(`node_filesystem_${what}_bytes`, value * GB, { mountpoint, fstype, device: "/dev/vda1" }),
    );
  return [
    ...coreNames(cores).flatMap(cpu),
    one("node_load5", 0.75),
    one("node_load1", 3),
    one("node_memory_MemTotal_bytes", 8 * GB),
    one("node_memory_MemAvailable_bytes", 5 * GB),
    one("node_memory_SwapTotal_bytes", 4 * GB),
    one("node_memory_SwapFree_bytes", 3 * GB),
    // Of 100 GB 5 are for root alone: 71.25 of the other 95 are used.
    ...disk("/", "ext4", 100, 28.75, 23.75),
    ...disk("/srv", "xfs", 100, 90, 90),
    ...disk("/run", "tmpfs", 1, 0, 0),
    one("node_netstat_Tcp_OutSegs", counters.sent),
    one("node_netstat_Tcp_RetransSegs", counters.resent),
    one("node_vmstat_oom_kill", counters.oom),
    one("node_boot_time_seconds", BOOT),
    one("node_uname_info", 1, { release: "6.12.48", machine: "x86_64", sysname: "Linux", nodename: "web-1" }),
    one("node_os_info", 1, { pretty_name: "Debian GNU/Linux 13 (trixie)", id: "debian" }),
    { labels: { __name__: "up", instance: "elsewhere:9090", job: "prometheus" }, samples: [[ms, 1]] },
  ];
}

/** Lines of Telegraf's default plugins and of those that the console's configuration adds; times in nanoseconds. */
export function telegrafLines(ms: number, counters: Counters, host = "web-1"): string {
  const lines = [
    `cpu,cpu=cpu0,host=${host} usage_user=99,usage_idle=1,usage_iowait=0,usage_steal=0`,
    `cpu,cpu=cpu-total,host=${host} usage_user=25.000000000001,usage_system=6.25,usage_idle=62.5,usage_nice=0,usage_iowait=6.25,usage_irq=0,usage_softirq=0,usage_steal=6.25,usage_guest=0,usage_guest_nice=0`,
    `disk,device=vda1,fstype=ext4,host=${host},mode=rw,path=/ free=${23.75 * GB}i,inodes_free=1i,inodes_total=2i,total=${100 * GB}i,used=${71.25 * GB}i,used_percent=75`,
    `disk,device=vdb,fstype=xfs,host=${host},mode=rw,path=/srv\\ data free=${90 * GB}i,total=${100 * GB}i,used=${10 * GB}i,used_percent=10`,
    `disk,device=tmpfs,fstype=tmpfs,host=${host},mode=rw,path=/run free=0i,total=10i,used=10i,used_percent=100`,
    `mem,host=${host} active=1i,available=${5 * GB}i,available_percent=62.5,buffered=1i,cached=1i,free=1i,total=${8 * GB}i,used=${2 * GB}i`,
    `swap,host=${host} free=${3 * GB}i,total=${4 * GB}i,used=${GB}i,used_percent=25`,
    `swap,host=${host} in=0i,out=0i`,
    `system,host=${host} load1=3,load15=0.5,load5=0.75,n_cpus=2i,n_users=1i`,
    `system,host=${host} uptime=5000i`,
    `system,host=${host} uptime_format=" 1:23, \\"up\\""`,
    `net,host=${host},interface=all tcp_outsegs=${counters.sent}i,tcp_retranssegs=${counters.resent}i,udp_noports=1i`,
    `kernel_vmstat,host=${host} oom_kill=${counters.oom}i,nr_free_pages=1i`,
    `ping,host=${host},url=console.example.com packets_transmitted=5i,packets_received=4i,percent_packet_loss=20,result_code=0i`,
    `processes,host=${host} blocked=0i,running=1i,paging=true`,
  ];
  return lines.map((line) => `${line} ${ms}000000\n`).join("");
}

/** What a node of Proxmox VE sends of itself, of a guest and of a storage. */
export function proxmoxLines(ms: number, counters: Counters, host = "pve-1"): string {
  const time = `${ms}000000`;
  return [
    `system,object=nodes,host=${host} uptime=5000 ${time}`,
    `cpustat,object=nodes,host=${host} avg1=3,avg15=0.5,avg5=0.75,cpu=0.0123,cpus=2,ctime=1800000000.5,guest=0,guest_nice=0,idle=${counters.idle * 200},iowait=${counters.iowait * 200},irq=0,nice=0,softirq=0,steal=${counters.steal * 200},sum=0,system=0,total=1,used=1,user=${counters.busy * 200},wait=0 ${time}`,
    `memory,object=nodes,host=${host} arcsize=0,memavailable=${5 * GB},memfree=${GB},memshared=0,memtotal=${8 * GB},memused=${3 * GB},swapfree=${3 * GB},swaptotal=${4 * GB},swapused=${GB} ${time}`,
    `blockstat,object=nodes,host=${host} bavail=${23.75 * GB},bfree=${28.75 * GB},blocks=${100 * GB},favail=1,ffree=1,files=2,fper=1,fused=1,per=75,used=${71.25 * GB} ${time}`,
    `nics,object=nodes,host=${host},instance=vmbr0 receive=1,transmit=2 ${time}`,
    `system,object=qemu,vmid=100,nodename=${host},host=db\\ one cpu=0.5,cpus=4,uptime=99,status="running" ${time}`,
    `system,object=storages,nodename=${host},host=local,type=dir active=1,avail=1,total=2,used=1 ${time}`,
    "",
  ].join("\n");
}

/** What the Collector's hostmetrics receiver sends, as JSON: what the configuration asks for, and what comes with it. */
export function hostMetrics(ms: number, counters: Counters, host = "web-1", cores = 2): object {
  const time = `${ms}000000`;
  const attribute = ([key, stringValue]: [string, string]) => ({ key, value: { stringValue } });
  const point = (value: number, attributes: Labels = {}) => ({
    attributes: Object.entries(attributes).map(attribute),
    startTimeUnixNano: "1700000000000000000",
    timeUnixNano: time,
    ...(Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value }),
  });
  const sum = (name: string, isMonotonic: boolean, dataPoints: object[]) => ({
    name,
    unit: "By",
    sum: { aggregationTemporality: 2, isMonotonic, dataPoints },
  });
  const gauge = (name: string, ...dataPoints: object[]) => ({ name, unit: "1", gauge: { dataPoints } });
  const states = { ...statesOf(counters), nice: 0.5 };
  const disk = (mountpoint: string, type: string, used: number, free: number, reserved: number) =>
    Object.entries({ used, free, reserved }).map(([state, value]) =>
      point(value * GB, { device: "/dev/vda1", mode: "rw", mountpoint, type, state }),
    );
  const metrics = [
    sum(
      "system.cpu.time",
      true,
      coreNames(cores, "cpu").flatMap((cpu) =>
        Object.entries(states).map(([state, value]) => point(value, { cpu, state })),
      ),
    ),
    gauge("system.cpu.load_average.1m", point(3)),
    gauge("system.cpu.load_average.5m", point(0.75)),
    gauge("system.cpu.load_average.15m", point(0.5)),
    sum("system.memory.usage", false, [
      ...Object.entries({ used: 2, free: 4, buffered: 1, cached: 1, slab_reclaimable: 0.5 }).map(([state, value]) =>
        point(value * GB, { state }),
      ),
    ]),
    sum("system.linux.memory.available", false, [point(5 * GB)]),
    sum("system.memory.limit", false, [point(8 * GB)]),
    sum("system.paging.usage", false, [
      point(GB, { device: "/swap", state: "used" }),
      point(3 * GB, { device: "/swap", state: "free" }),
    ]),
    sum(
      "system.paging.operations",
      true,
      ["page_in", "page_out"].flatMap((direction) =>
        ["major", "minor"].map((type) => point(1000, { direction, type })),
      ),
    ),
    sum("system.paging.faults", true, [point(10, { type: "major" }), point(1000, { type: "minor" })]),
    sum("system.filesystem.inodes.usage", false, disk("/", "ext4", 1, 2, 0).slice(0, 2)),
    sum("system.filesystem.usage", false, [...disk("/", "ext4", 71.25, 23.75, 5), ...disk("/run", "tmpfs", 1, 0, 0)]),
    gauge("system.uptime", point(5000)),
    sum("system.network.io", true, [point(1, { device: "eth0", direction: "receive" })]),
  ];
  return {
    resourceMetrics: [
      {
        resource: { attributes: [attribute(["host.name", host]), attribute(["os.type", "linux"])] },
        scopeMetrics: [{ scope: { name: "hostmetricsreceiver", version: "0.140.0" }, metrics }],
      },
    ],
  };
}
