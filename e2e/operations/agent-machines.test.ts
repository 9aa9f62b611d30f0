import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentBench, type Shell } from "@/e2e/support/agent";
import { SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

// public/agent.sh on machines of all kinds, by fixtures of /proc and of cgroups and stubs of df and systemctl.

const INSTALLED = [["dash"], ["busybox", "sh"], ["bash"]].filter(([program]) =>
  ["/bin", "/usr/bin"].some((dir) => existsSync(join(dir, String(program)))),
) as unknown as Shell[];
/** In CI each; elsewhere the first: what a machine is made of does not depend on its shell. */
const SHELLS = process.env.CI ? INSTALLED : INSTALLED.slice(0, 1);

let bench: AgentBench;
const leftovers: (() => void)[] = [];
beforeEach(() => {
  bench = new AgentBench();
  bench.shim("systemd-detect-virt", "exit 1");
  bench.shim("ping", "exit 2");
  // What it measures is recorded: nothing becomes truer in a second of the clock.
  bench.shim("sleep", "exec /bin/sleep 0.2");
});
afterEach(() => {
  for (const remove of leftovers.splice(0)) remove();
  bench.remove();
});

const MB = 2 ** 20;
const GB = 2 ** 30;

function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** The recorded machine, with these files of /proc and of the root of its cgroups. */
function machine(proc: Record<string, string> = {}, cgroup: Record<string, string> = {}) {
  const [PROC_ROOT, CGROUP_ROOT] = [join(bench.dir, "proc"), join(bench.dir, "cgroup")];
  cpSync("e2e/support/proc/before", PROC_ROOT, { recursive: true });
  mkdirSync(CGROUP_ROOT, { recursive: true });
  write(PROC_ROOT, { "self/mountinfo": "26 1 254:0 / / rw,relatime - ext4 /dev/vda1 rw\n", ...proc });
  write(CGROUP_ROOT, cgroup);
  return { PROC_ROOT, CGROUP_ROOT };
}

type Told = Record<string, unknown> & { facts: Record<string, unknown> };

async function print(variables: Record<string, string>, shell: Shell = ["dash"]): Promise<Told & { stderr: string }> {
  const { stdout, stderr } = await bench.run(shell, ["print"], "", variables);
  return { ...JSON.parse(stdout), stderr };
}

const meminfo = (totalGb: number, availableGb: number) =>
  `MemTotal: ${totalGb * 2 ** 20} kB\nMemAvailable: ${availableGb * 2 ** 20} kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n`;
const arcstats = (sizeGb: number, leastGb: number, mostGb = 32) =>
  `13 1 0x01 147 39984 5 9\nname type data\nhits 4 7\nc 4 9\nc_min 4 ${leastGb * GB}\nc_max 4 ${mostGb * GB}\nsize 4 ${sizeGb * GB}\n`;

for (const shell of SHELLS) {
  test(`ZFS cache that can be given back is not used memory: ${shell.join(" ")}`, async () => {
    const used = async (arc: string, cgroup = {}) => {
      const told = await print(machine({ meminfo: meminfo(64, 6), "spl/kstat/zfs/arcstats": arc }, cgroup), shell);
      return Number(told.mem_used_mb) / 1024;
    };
    expect(await used(arcstats(40, 2, 60))).toBe(20);
    expect(await used(arcstats(1, 2))).toBe(58);
    // More than is used, and a cache that is larger than the memory: it is another machine's.
    expect(await used(arcstats(62, 2, 63))).toBe(58);
    expect(await used(arcstats(40, 2, 200))).toBe(58);
    expect(await used("size 4\n")).toBe(58);
  });

  test(`a container reports only values that are its own: ${shell.join(" ")}`, async () => {
    const limits = {
      "memory.max": `${256 * MB}\n`,
      "memory.current": `${200 * MB}\n`,
      "memory.stat": `anon 1\ninactive_file ${30 * MB}\nactive_file ${20 * MB}\nslab_reclaimable ${10 * MB}\nslab 5\n`,
      "memory.events": "low 0\noom 3\noom_kill 2\n",
      "cpu.max": "50000 100000\n",
      "cpu.stat": "usage_usec 1000000\nuser_usec 1\n",
    };
    const host = { meminfo: meminfo(64, 40), "spl/kstat/zfs/arcstats": arcstats(20, 2), uptime: "1000.00 1.00\n" };
    const paths = machine(host, limits);
    // While it measures, two seconds pass, of which a quarter of a core was used.
    bench.shim(
      "sleep",
      `echo 'usage_usec 1500000' >${paths.CGROUP_ROOT}/cpu.stat; echo '1002.00 1.00' >${paths.PROC_ROOT}/uptime`,
    );
    const told = await print(paths, shell);
    expect(told).toMatchObject({ mem_used_mb: 140, mem_total_mb: 256, cpu_pct: 50, oom_kills: 0 });
    expect(told.facts).toMatchObject({ cores: 1, memory_mb: 256, container: true });
    for (const name of ["cpu_steal_pct", "cpu_iowait_pct", "load5", "swap_used_pct", "uptime_s"]) {
      expect(told).not.toHaveProperty(name);
    }
    // Without limits it may use all of the machine.
    const free = await print(machine(host, { "memory.max": "max\n", "cpu.max": "max 100000\n" }), shell);
    expect(free).toMatchObject({ mem_used_mb: 24 * 1024, load5: expect.any(Number), uptime_s: expect.any(Number) });
    // A limit beyond the machine.
    const wide = await print(machine(host, { ...limits, "memory.max": `${100 * GB}\n` }), shell);
    expect(wide).toMatchObject({ mem_total_mb: 64 * 1024, mem_used_mb: 140 });
    // lxcfs makes these files the container's own.
    const own = ["loadavg", "uptime", "meminfo"].map(
      (name) => `9 8 0:63 /proc/${name} /proc/${name} rw - fuse.lxcfs lxcfs rw\n`,
    );
    const lxc = await print(machine({ ...host, "self/mountinfo": own.join("") }, limits), shell);
    expect(lxc).toMatchObject({
      load5: expect.any(Number),
      uptime_s: expect.any(Number),
      swap_used_pct: 0,
      mem_total_mb: 256,
    });
  });

  test(`a quota beyond the machine is the machine: ${shell.join(" ")}`, async () => {
    const read = async (quota: string, later = quota) => {
      const paths = machine(
        { uptime: "1000.00 1.00\n" },
        { "cpu.max": `${quota} 100000\n`, "cpu.stat": "usage_usec 1000000\n" },
      );
      bench.shim(
        "sleep",
        `echo 'usage_usec 3000000' >${paths.CGROUP_ROOT}/cpu.stat; echo '1002.00 1.00' >${paths.PROC_ROOT}/uptime
         echo '${later} 100000' >${paths.CGROUP_ROOT}/cpu.max`,
      );
      return print(paths, shell);
    };
    // The recorded machine has two cores.
    const wide = await read("6400000");
    expect([wide.cpu_pct, wide.facts.cores]).toEqual([50, 2]);
    for (const later of ["100000", "400000", "max"]) {
      expect(await read("200000", later), later).not.toHaveProperty("cpu_pct");
    }
  });

  test(`a root that was made as an image is neither full nor broken: ${shell.join(" ")}`, async () => {
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
      const told = await print(machine({ "self/mountinfo": mountinfo }), shell);
      expect([told.disk_used_pct, told.facts.read_only_root], root).toEqual([full ? 100 : 30, undefined]);
    }
  });

  test(`read-only file systems never count as fullest, a read-only root is reported: ${shell.join(" ")}`, async () => {
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
      print(
        machine({ "self/mountinfo": [`26 1 254:0 / / rw - ext4 /dev/vda1 ${root}`, ...lines, ""].join("\n") }),
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

  test(`names with blanks and percentages move no figure of df: ${shell.join(" ")}`, async () => {
    for (const [source, path] of [
      ["tank/my data", "/tank/my data"],
      ["a 9 99 1 99% /b", "/mnt"],
      ["/dev/sda1", "/mnt/9 99 1 99% /x"],
      ["100", "/5 5 5 5"],
    ] as const) {
      const escaped = (name: string) => name.replaceAll(" ", "\\040");
      bench.shim("df", `echo Filesystem; printf '%s 100 1 99 1%% %s\\n' '${source.replace("%", "%")}' '${path}'`);
      const told = await print(
        machine({ "self/mountinfo": `26 1 0:9 / ${escaped(path)} rw - zfs ${escaped(source)} rw\n` }),
        shell,
      );
      expect(told.disk_used_pct, path).toBe(1);
    }
  });

  test(`hanging file systems are named, not asked again, and hide no others: ${shell.join(" ")}`, async () => {
    const log = join(bench.dir, "asked");
    bench.shim(
      "df",
      `echo "$$ $*" >>${log}; shift
       for path; do case $path in /bad*) exec /bin/sleep 600 ;; /full) echo 'x 100 99 1 99% /full' ;; *) echo "x 100 20 80 20% $path" ;; esac; done`,
    );
    const line = (path: string, n: number) => `${30 + n} 1 8:${n} / ${path} rw - ext4 /dev/sd${n} rw\n`;
    const good = Array.from({ length: 100 }, (_, n) => `/good${n}`);
    const bad = Array.from({ length: 9 }, (_, n) => `/bad${n}`);
    const mounts = (paths: readonly string[]) =>
      paths
        .map((path) => line(path, Number(/\d+$/.exec(path)?.[0] ?? 500) + (path.startsWith("/bad") ? 200 : 0)))
        .join("");
    const paths = machine({ "self/mountinfo": mounts(["/bad0", ...good, "/full", "/good0"]) });
    const console = await startConsole();
    const agent = bench.start(shell, ["run", console.origin], `${mintToken("serverKey")}\n`, {
      ...paths,
      STATE_DIRECTORY: bench.dir,
      RUNTIME_DIRECTORY: memory(),
    });
    try {
      await expect.poll(() => console.samples.length).toBeGreaterThan(1);
      // One is gone before the one that hangs, and others come: the figures stay with their paths.
      write(paths.PROC_ROOT, { "self/mountinfo": mounts([...good.slice(1), "/bad0", "/full"]) });
      const seen = console.samples.length;
      await expect.poll(() => console.samples.length).toBeGreaterThan(seen + 1);
      expect(console.samples.map(({ disk_used_pct }) => disk_used_pct)).toEqual(console.samples.map(() => 99));
      expect(agent.stderr()).toContain("df does not answer for /bad0, so");
      write(paths.PROC_ROOT, { "self/mountinfo": mounts([...bad, "/full"]) });
      await expect
        .poll(() => agent.stderr())
        .toMatch(/for \/bad0, \/bad1, \/bad2 and 5 more; with 8 such no other is asked/);
    } finally {
      await agent.stop();
    }
    const asked = readFileSync(log, "utf8").trim().split("\n");
    // One source is asked once with all its paths.
    expect(asked.filter((words) => words.endsWith("-Pk /bad0"))).toHaveLength(1);
    expect(asked.filter((words) => words.includes("/bad"))).toHaveLength(8);
  });
}

const memory = () => {
  const folder = join(bench.dir, "memory");
  mkdirSync(folder, { recursive: true });
  return folder;
};

type Answer = { status?: number; headers?: Record<string, string>; body?: string };

/** A server in the console's place. */
async function startConsole(answer: (count: number, sampledAt: number) => Answer = () => ({})) {
  const samples: { sampled_at: number; disk_used_pct?: number }[] = [];
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.on("data", (chunk) => (text += chunk));
    incoming.on("end", () => {
      asked.push(`${incoming.method} ${incoming.url}`);
      const sample = JSON.parse(text || "{}");
      samples.push(sample);
      const {
        status = 200,
        headers = {},
        body = '{"data":{"stored":true}}',
      } = answer(samples.length, sample.sampled_at);
      outgoing.writeHead(status, { Date: "Tue, 10 Mar 2020 10:00:00 GMT", ...headers });
      outgoing.end(body);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  leftovers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, samples, asked };
}

test("data sets of one pool are queried together but keep their own fullness", async () => {
  const log = join(bench.dir, "asked");
  bench.shim("df", `echo "$*" >>${log}; echo 't 100 10 90 10% /tank'; echo 't/a b 100 70 30 70% /tank/a b'`);
  const mountinfo = [
    "20 1 0:20 / /tank rw - zfs tank rw,xattr",
    "21 1 0:21 / /tank/a\\040b rw - zfs tank/a\\040b rw",
    "",
  ];
  expect((await print(machine({ "self/mountinfo": mountinfo.join("\n") }))).disk_used_pct).toBe(70);
  expect(readFileSync(log, "utf8")).toBe("-Pk /tank /tank/a b\n");
});

test("each slow source is asked once before any is asked again", async () => {
  const log = join(bench.dir, "asked");
  bench.shim("df", `echo "$2" >>${log}; /bin/sleep 0.6; echo "x 100 20 80 20% $2"`);
  const mountinfo = Array.from({ length: 40 }, (_, n) => `${30 + n} 1 8:${n} / /d${n} rw - ext4 /dev/sd${n} rw\n`);
  const paths = machine({ "self/mountinfo": mountinfo.join("") });
  const console = await startConsole();
  const folders = { STATE_DIRECTORY: bench.dir, RUNTIME_DIRECTORY: memory() };
  const agent = bench.start(["dash"], ["run", console.origin], `${mintToken("serverKey")}\n`, { ...paths, ...folders });
  const asked = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  try {
    await expect.poll(() => asked().length).toBeGreaterThanOrEqual(40);
  } finally {
    await agent.stop();
  }
  expect(new Set(asked().slice(0, 40)).size).toBe(40);
});

test("a file system with less than nothing free is full", async () => {
  bench.shim("df", "echo '/dev/vda1 100 110 -5 105% /'");
  expect((await print(machine())).disk_used_pct).toBe(100);
});

test("a single check-in waits for neither df nor systemctl, and leaves none behind", async () => {
  const log = join(bench.dir, "started");
  bench.shim("timeout", 'shift; exec /usr/bin/timeout 1 "$@"');
  for (const name of ["df", "systemctl"]) bench.shim(name, `echo $$ >>${log}; exec /bin/sleep 600`);
  write(bench.dir, { "run/systemd/system/x": "" });
  const told = await print({ ...machine(), DESTDIR: bench.dir });
  expect(told).not.toHaveProperty("failed_units");
  expect(told).not.toHaveProperty("disk_used_pct");
  const started = readFileSync(log, "utf8").trim().split("\n");
  expect(started).toHaveLength(2);
  await expect.poll(() => started.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});

test("what could not be read is left out, and never zero", async () => {
  for (const [file, names] of [
    ["meminfo", ["mem_used_mb", "mem_total_mb", "swap_used_pct"]],
    ["stat", ["cpu_pct", "cpu_steal_pct", "cpu_iowait_pct", "facts"]],
    ["net/snmp", ["net_retransmit_pct"]],
    ["vmstat", ["oom_kills"]],
    ["loadavg", ["load5"]],
    ["uptime", ["uptime_s"]],
  ] as const) {
    const paths = machine({ [file]: "" });
    bench.shim("sleep", `[ ! -s ${paths.PROC_ROOT}/stat ] || cp e2e/support/proc/after/stat ${paths.PROC_ROOT}/stat`);
    const told = await print(paths);
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
    const told = await print(machine({ [file]: text }));
    for (const name of names) expect(told, text).not.toHaveProperty(name);
  }
  const paths = machine({}, { "memory.max": `${256 * MB}`, "memory.current": `${9 * MB}` });
  expect(await print(paths)).not.toHaveProperty("mem_used_mb");
});

for (const client of ["curl", "wget"]) {
  test(`the key follows no redirect, and an intermediary's answer is named as such: ${client}`, async () => {
    const tools = "sh dash awk cat cksum cut date df grep head mkdir mktemp mv od rm sed sleep tail tr uname wc";
    bench.only([...tools.split(" "), client]);
    bench.shim("sleep", "exit 0");
    let answer: Answer = {};
    const console = await startConsole(() => answer);
    const other = await startConsole();
    const once = async (next: Answer) => {
      answer = next;
      const { code, stderr } = await bench.run(
        ["dash"],
        ["once", console.origin],
        `${mintToken("serverKey")}\n`,
        machine(),
      );
      expect(code).toBe(1);
      return stderr;
    };
    const page = "<html><title>Sign in</title></html>";
    for (const status of [403, 429, 502]) {
      const told = await once({ status, body: page });
      expect(told).toContain(
        `Not checked in (${status}${status === 502 || status === 403 ? "" : "?"}): a proxy answered, not the console\n`,
      );
    }
    expect(await once({ body: page })).toContain("(200?): a proxy answered, not the console\n");
    expect(await once({ status: 400, body: page })).toContain("(400?): a proxy answered, not the console\n");
    expect(await once({ status: 403, body: '{"error":"No."}' })).toContain("Not checked in (403): No.\n");
    expect(await once({ status: 400, body: '{"error":"No \\"a\\" b."}' })).toContain("Not checked in (400): No a b.\n");
    for (const body of ['{"error":{"code":400}}', '{"error":"x","path":"/"}', page + "x".repeat(300_000)]) {
      expect(await once({ status: 400, body })).toContain("(400?): a proxy answered, not the console\n");
    }
    for (const status of [301, 308]) {
      const told = await once({ status, headers: { Location: `${other.origin}/ingest/v1/check-ins` }, body: "" });
      expect(told).toContain(
        `(${status}): redirected to ${other.origin}/ingest/v1/check-ins, where the key is not sent\n`,
      );
      const moved = "https://127.0.0.1:8443/console/ingest/v1/check-ins";
      expect(await once({ status, headers: { Location: moved } })).toContain(
        "not sent; its URL is https://127.0.0.1:8443/console\n",
      );
      for (const elsewhere of [
        "https://127.0.0.1@evil.example/ingest/v1/check-ins",
        "https://127.0.0.1.evil.example/ingest/v1/check-ins",
      ]) {
        expect(await once({ status, headers: { Location: elsewhere } })).toMatch(
          /evil\.example\S*, where the key is not sent\n$/,
        );
      }
    }
    expect(await once({ status: 302, body: "" })).toContain("(302): a proxy answered, not the console\n");
    expect(other.asked).toEqual([]);
  });

  test(`a clock that was never set is corrected by the console's time alone: ${client}`, async () => {
    const tools = "sh dash awk cat cksum cut df grep head mkdir mktemp mv od rm sed sleep tail tr uname wc";
    bench.only([...tools.split(" "), client]);
    bench.shim("sleep", "exit 0");
    for (const clock of [100, 1735689600, 4102444800]) {
      bench.shim("date", `echo ${clock}`);
      const now = Math.floor(Date.now() / SECOND);
      const console = await startConsole((_, sampledAt) => {
        const headers = { "X-Console-Time": String(now) };
        if (Math.abs(sampledAt / SECOND - now) < 60) return { headers };
        return { status: 400, headers, body: '{"error":"sampled_at: is old."}' };
      });
      const paths = machine();
      const ended = await bench.run(["dash"], ["once", console.origin], `${mintToken("serverKey")}\n`, paths);
      expect([ended.code, ended.stdout]).toEqual([0, `Checked in at ${console.origin}.\n`]);
    }
  });
}

test("the service reads the key file where systemd gives no credentials", async () => {
  const root = join(bench.dir, "root");
  const key = mintToken("serverKey");
  write(root, { "etc/console-agent/key": `${key}\n` });
  write(bench.dir, { "unended/key": key });
  const console = await startConsole();
  for (const [variables, input] of [
    [{}, ""],
    [{ CREDENTIALS_DIRECTORY: join(bench.dir, "none") }, ""],
    [{ CREDENTIALS_DIRECTORY: "" }, ""],
    [{ CREDENTIALS_DIRECTORY: join(bench.dir, "unended"), DESTDIR: bench.dir }, ""],
  ] as const) {
    const before = console.samples.length;
    const agent = bench.start(["dash"], ["run", console.origin], input, { ...machine(), DESTDIR: root, ...variables });
    await expect.poll(() => console.samples.length).toBeGreaterThan(before);
    await agent.stop();
  }
  for (const variables of [{}, { CREDENTIALS_DIRECTORY: join(bench.dir, "none") }]) {
    const { code, stderr } = await bench.run(["dash"], ["run", console.origin], "", {
      ...variables,
      DESTDIR: bench.dir,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The server key .* cannot be read/)]);
  }
});

test("install ends after the second failed start with systemd's result and a remedy", async () => {
  const console = await startConsole();
  const shows = join(bench.dir, "shows");
  for (const [n, [first, second, told]] of [
    ["NRestarts=0\nSubState=auto-restart", "NRestarts=1\nSubState=auto-restart", "exit-code, status 243"],
    ["SubState=running\nNRestarts=1", "ActiveState=failed\nSubState=failed", "exit-code, status 243"],
    ["SubState=start\nNRestarts=1", "NRestarts=2\nSubState=running", "exit-code, status 243"],
  ].entries()) {
    const root = join(bench.dir, `root${n}`);
    write(root, { "run/systemd/system/x": "", "etc/systemd/system/x": "" });
    writeFileSync(shows, "");
    bench.shim("id", "echo 0");
    bench.shim("sleep", "exit 0");
    bench.shim(
      "systemctl",
      `[ $1 = show ] || exit 0; echo x >>${shows}; n=$(wc -l <${shows}); printf '%s\\n' Result=exit-code ExecMainStatus=243
       [ $n -lt 5 ] && printf '${first?.replace("\n", "\\n")}\\n' || printf '${second?.replace("\n", "\\n")}\\n'`,
    );
    bench.shim(
      "journalctl",
      "echo 'Failed to set up credentials: Protocol error'; echo \"Failed with result 'exit-code'.\"",
    );
    const { code, stdout, stderr } = await bench.run(
      ["dash"],
      ["install", console.origin],
      `${mintToken("serverKey")}\n`,
      {
        ...machine(),
        DESTDIR: root,
      },
    );
    expect([code, stdout]).toEqual([1, expect.not.stringContaining("Installed")]);
    expect(stderr).toContain("The service does not start");
    expect(stderr).toContain(told);
    expect(stderr).toContain("Failed to set up credentials: Protocol error");
    expect(stderr).toContain(
      `/bin/sh /usr/local/lib/console-agent/agent.sh once ${console.origin} </etc/console-agent/key`,
    );
    expect(stderr).not.toContain("no server key");
    expect(readFileSync(shows, "utf8").length / 2).toBe(5);
    expect(readdirSync(join(root, "etc/console-agent"))).toContain("key");
  }
});
