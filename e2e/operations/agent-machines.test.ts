import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EACH_SHELL, writeFiles } from "@/e2e/support/agent";
import { agentTest as test } from "@/e2e/support/agent-test";

// What public/agent.sh measures on machines of all kinds, by fixtures of /proc and of cgroups and stubs of df.

const MB = 2 ** 20;
const GB = 2 ** 30;

const meminfo = (totalGb: number, availableGb: number) =>
  `MemTotal: ${totalGb * 2 ** 20} kB\nMemAvailable: ${availableGb * 2 ** 20} kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n`;
const arcstats = (sizeGb: number, leastGb: number, mostGb = 32) =>
  `13 1 0x01 147 39984 5 9\nname type data\nhits 4 7\nc 4 9\nc_min 4 ${leastGb * GB}\nc_max 4 ${mostGb * GB}\nsize 4 ${sizeGb * GB}\n`;

for (const shell of EACH_SHELL) {
  test(`ZFS cache that can be given back is not used memory: ${shell.join(" ")}`, async ({ bench, expect }) => {
    const used = async (arc: string, cgroup = {}) => {
      const told = await bench.print(
        bench.machine({ meminfo: meminfo(64, 6), "spl/kstat/zfs/arcstats": arc }, cgroup),
        shell,
      );
      return Number(told.mem_used_mb) / 1024;
    };
    expect(await used(arcstats(40, 2, 60))).toBe(20);
    expect(await used(arcstats(1, 2))).toBe(58);
    // More than is used, and a cache that is larger than the memory: it is another machine's.
    expect(await used(arcstats(62, 2, 63))).toBe(58);
    expect(await used(arcstats(40, 2, 200))).toBe(58);
    expect(await used("size 4\n")).toBe(58);
  });

  test(`a container reports only values that are its own: ${shell.join(" ")}`, async ({ bench, expect }) => {
    const limits = {
      "memory.max": `${256 * MB}\n`,
      "memory.current": `${200 * MB}\n`,
      "memory.stat": `anon 1\ninactive_file ${30 * MB}\nactive_file ${20 * MB}\nslab_reclaimable ${10 * MB}\nslab 5\n`,
      "memory.events": "low 0\noom 3\noom_kill 2\n",
      "cpu.max": "50000 100000\n",
      "cpu.stat": "usage_usec 1000000\nuser_usec 1\n",
    };
    const host = { meminfo: meminfo(64, 40), "spl/kstat/zfs/arcstats": arcstats(20, 2), uptime: "1000.00 1.00\n" };
    const paths = bench.machine(host, limits);
    // While it measures, two seconds pass, of which a quarter of a core was used.
    bench.shim(
      "sleep",
      `echo 'usage_usec 1500000' >${paths.CGROUP_ROOT}/cpu.stat; echo '1002.00 1.00' >${paths.PROC_ROOT}/uptime`,
    );
    const told = await bench.print(paths, shell);
    expect(told).toMatchObject({ mem_used_mb: 140, mem_total_mb: 256, cpu_pct: 50, oom_kills: 0 });
    expect(told.facts).toMatchObject({ cores: 1, memory_mb: 256, container: true });
    for (const name of ["cpu_steal_pct", "cpu_iowait_pct", "load5", "swap_used_pct", "uptime_s"]) {
      expect(told).not.toHaveProperty(name);
    }
    // Without limits it may use all of the machine.
    const free = await bench.print(bench.machine(host, { "memory.max": "max\n", "cpu.max": "max 100000\n" }), shell);
    expect(free).toMatchObject({ mem_used_mb: 24 * 1024, load5: expect.any(Number), uptime_s: expect.any(Number) });
    // Without a limit of memory, only lxcfs tells of this container's own.
    const noMemoryLimit = { ...limits, "memory.max": "max\n" };
    const cores = await bench.print(bench.machine(host, noMemoryLimit), shell);
    expect(cores.facts).toMatchObject({ cores: 1, container: true });
    for (const told of [cores, cores.facts]) {
      for (const name of ["memory_mb", "mem_total_mb", "mem_used_mb"]) expect(told).not.toHaveProperty(name);
    }
    // A limit beyond the machine.
    const wide = await bench.print(bench.machine(host, { ...limits, "memory.max": `${100 * GB}\n` }), shell);
    expect(wide).toMatchObject({ mem_total_mb: 64 * 1024, mem_used_mb: 140 });
    // lxcfs makes these files the container's own.
    const own = ["loadavg", "uptime", "meminfo"].map(
      (name) => `9 8 0:63 /proc/${name} /proc/${name} rw - fuse.lxcfs lxcfs rw\n`,
    );
    const lxc = await bench.print(bench.machine({ ...host, "self/mountinfo": own.join("") }, limits), shell);
    expect(lxc).toMatchObject({
      load5: expect.any(Number),
      uptime_s: expect.any(Number),
      swap_used_pct: 0,
      mem_total_mb: 256,
    });
    const cached = await bench.print(bench.machine({ ...host, "self/mountinfo": own.join("") }, noMemoryLimit), shell);
    expect([cached.mem_total_mb, cached.facts.memory_mb]).toEqual([64 * 1024, 64 * 1024]);
  });

  test(`a quota beyond the machine is the machine: ${shell.join(" ")}`, async ({ bench, expect }) => {
    const read = async (quota: string, later = quota) => {
      const paths = bench.machine(
        { uptime: "1000.00 1.00\n" },
        { "cpu.max": `${quota} 100000\n`, "cpu.stat": "usage_usec 1000000\n" },
      );
      bench.shim(
        "sleep",
        `echo 'usage_usec 3000000' >${paths.CGROUP_ROOT}/cpu.stat; echo '1002.00 1.00' >${paths.PROC_ROOT}/uptime
         echo '${later} 100000' >${paths.CGROUP_ROOT}/cpu.max`,
      );
      return bench.print(paths, shell);
    };
    // The recorded machine has two cores.
    const wide = await read("6400000");
    expect([wide.cpu_pct, wide.facts.cores]).toEqual([50, 2]);
    for (const later of ["100000", "400000", "max"]) {
      expect(await read("200000", later), later).not.toHaveProperty("cpu_pct");
    }
  });

  test(`a root that was made as an image is neither full nor broken: ${shell.join(" ")}`, async ({ bench, expect }) => {
    bench.shim(
      "df",
      `shift; for path; do case $path in /) echo 'r 9 9 0 100% /' ;; *) echo "d 100 30 70 30% $path" ;; esac; done`,
    );
    for (const [root, full] of [
      ["erofs /dev/loop0 ro", false],
      ["squashfs /dev/root ro", false],
      ["overlay composefs ro,lowerdir=/run/cfs", false],
      ["overlay overlay rw,lowerdir=/a,upperdir=/b", true],
    ] as const) {
      const mountinfo = `26 1 254:0 / / rw - ${root}\n27 1 8:1 / /var rw - xfs /dev/sdb1 rw\n`;
      const told = await bench.print(bench.machine({ "self/mountinfo": mountinfo }), shell);
      expect([told.disk_used_pct, told.facts.read_only_root], root).toEqual([full ? 100 : 30, undefined]);
    }
  });

  test(`read-only file systems never count as fullest, a read-only root is reported: ${shell.join(" ")}`, async ({
    bench,
    expect,
  }) => {
    bench.shim(
      "df",
      `shift; for path; do case $path in /) echo 'r 100 20 80 20% /' ;; /data) echo 'd 100 30 70 30% /data' ;; *) echo "i 100 100 0 100% $path" ;; esac; done`,
    );
    const lines = [
      "30 1 7:0 / /iso ro,relatime - ext4 /dev/loop0 ro",
      "31 1 7:1 / /image ro,relatime shared:3 - xfs /dev/loop1 ro,attr2",
      // The mount alone is read-only.
      "32 1 8:1 / /data ro,relatime - ext4 /dev/sdb1 rw,discard",
    ];
    const read = (root: string) =>
      bench.print(
        bench.machine({ "self/mountinfo": [`26 1 254:0 / / rw - ext4 /dev/vda1 ${root}`, ...lines, ""].join("\n") }),
        shell,
      );
    const healthy = await read("rw,errors=remount-ro");
    expect(healthy.disk_used_pct).toBe(30);
    expect(healthy.facts).not.toHaveProperty("read_only_root");
    for (const root of ["ro,errors=remount-ro", "rw,emergency_ro", "emergency_ro"]) {
      const broken = await read(root);
      expect(broken.disk_used_pct).toBe(30);
      expect(broken.facts.read_only_root, root).toBe(true);
    }
  });

  test(`names with blanks and percentages move no figure of df: ${shell.join(" ")}`, async ({ bench, expect }) => {
    for (const [source, path] of [
      ["tank/my data", "/tank/my data"],
      ["a 9 99 1 99% /b", "/mnt"],
      ["/dev/sda1", "/mnt/9 99 1 99% /x"],
      ["100", "/5 5 5 5"],
    ] as const) {
      const escaped = (name: string) => name.replaceAll(" ", "\\040");
      bench.shim("df", `echo Filesystem; printf '%s 100 1 99 1%% %s\\n' '${source.replace("%", "%")}' '${path}'`);
      const told = await bench.print(
        bench.machine({ "self/mountinfo": `26 1 0:9 / ${escaped(path)} rw - zfs ${escaped(source)} rw\n` }),
        shell,
      );
      expect(told.disk_used_pct, path).toBe(1);
    }
  });
}

test("data sets of one pool are queried together but keep their own fullness", async ({ bench, expect }) => {
  const log = join(bench.dir, "asked");
  bench.shim("df", `echo "$*" >>${log}; echo 't 100 10 90 10% /tank'; echo 't/a b 100 70 30 70% /tank/a b'`);
  const mountinfo = [
    "20 1 0:20 / /tank rw - zfs tank rw,xattr",
    "21 1 0:21 / /tank/a\\040b rw - zfs tank/a\\040b rw",
    "",
  ];
  expect((await bench.print(bench.machine({ "self/mountinfo": mountinfo.join("\n") }))).disk_used_pct).toBe(70);
  expect(readFileSync(log, "utf8")).toBe("-Pk /tank /tank/a b\n");
});

test("a file system with less than nothing free is full", async ({ bench, expect }) => {
  bench.shim("df", "echo '/dev/vda1 100 110 -5 105% /'");
  expect((await bench.print(bench.machine())).disk_used_pct).toBe(100);
});

test("a file system that does not answer is named and left out", async ({ bench, expect }) => {
  bench.shim("df", "exec /bin/sleep 60");
  const told = await bench.print(bench.machine());
  expect(told).toMatchObject({ load5: expect.any(Number), uptime_s: expect.any(Number) });
  expect(told).not.toHaveProperty("disk_used_pct");
  expect(told.stderr).toBe("df does not answer for /, so its fullness is not known.\n");
});

test("a single check-in waits for neither df nor systemctl, and leaves none behind", async ({ bench, expect }) => {
  const log = join(bench.dir, "started");
  bench.shim("timeout", 'shift; exec /usr/bin/timeout 1 "$@"');
  for (const name of ["df", "systemctl"]) bench.shim(name, `echo $$ >>${log}; exec /bin/sleep 600`);
  writeFiles(bench.dir, { "run/systemd/system/x": "" });
  const told = await bench.print({ ...bench.machine(), DESTDIR: bench.dir });
  expect(told).not.toHaveProperty("failed_units");
  expect(told).not.toHaveProperty("disk_used_pct");
  const started = readFileSync(log, "utf8").trim().split("\n");
  expect(started).toHaveLength(2);
  await expect.poll(() => started.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});

test("what could not be read is left out, and never zero", async ({ bench, expect }) => {
  for (const [file, names] of [
    ["meminfo", ["mem_used_mb", "mem_total_mb", "swap_used_pct"]],
    ["stat", ["cpu_pct", "cpu_steal_pct", "cpu_iowait_pct", "facts"]],
    ["net/snmp", ["net_retransmit_pct"]],
    ["vmstat", ["oom_kills"]],
    ["loadavg", ["load5"]],
    ["uptime", ["uptime_s"]],
  ] as const) {
    const paths = bench.machine({ [file]: "" });
    bench.shim("sleep", `[ ! -s ${paths.PROC_ROOT}/stat ] || cp e2e/support/proc/after/stat ${paths.PROC_ROOT}/stat`);
    const told = await bench.print(paths);
    expect(told).toMatchObject({ sampled_at: expect.any(Number) });
    for (const name of names) expect(told, file).not.toHaveProperty(name);
  }
  for (const [file, text, names] of [
    ["meminfo", "MemTotal: 100 kB\nSwapTotal: 100 kB\n", ["mem_used_mb", "swap_used_pct"]],
    ["meminfo", "MemTotal: 100 kB\nMemAvailable: 200 kB\n", ["mem_used_mb", "swap_used_pct"]],
    ["meminfo", "MemAvailable: 100 kB\nSwapFree: 100 kB\n", ["mem_used_mb", "mem_total_mb", "swap_used_pct"]],
    ["net/snmp", "Tcp: A B\nTcp: 5 7\n", ["net_retransmit_pct"]],
    ["stat", "cpu  1 2\n", ["cpu_pct"]],
  ] as const) {
    const told = await bench.print(bench.machine({ [file]: text }));
    for (const name of names) expect(told, text).not.toHaveProperty(name);
  }
  // The first of two counts alone could not be read.
  const late = bench.machine({ stat: "", vmstat: "", "net/snmp": "" });
  bench.shim("sleep", `cp -r e2e/support/proc/before/. ${late.PROC_ROOT}`);
  const told = await bench.print(late);
  expect(told).toMatchObject({ mem_total_mb: expect.any(Number), uptime_s: expect.any(Number) });
  for (const name of ["cpu_pct", "cpu_steal_pct", "cpu_iowait_pct", "net_retransmit_pct", "oom_kills"]) {
    expect(told).not.toHaveProperty(name);
  }
  const paths = bench.machine({}, { "memory.max": `${256 * MB}`, "memory.current": `${9 * MB}` });
  expect(await bench.print(paths)).not.toHaveProperty("mem_used_mb");
});

test("the ip that its environment names is sent, and nothing that is none", async ({ bench, expect }) => {
  expect(await bench.print({ ...bench.machine(), PUBLIC_IP: "192.0.2.7" })).toMatchObject({ public_ip: "192.0.2.7" });
  const { code, stderr } = await bench.run(["dash"], ["print"], "", { PUBLIC_IP: "web-1" });
  expect([code, stderr]).toEqual([1, "agent.sh: PUBLIC_IP is not an ip.\n"]);
});
