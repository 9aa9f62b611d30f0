import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { AgentBench, PING, SHELLS } from "@/e2e/support/agent";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

// public/agent.sh when something around it is broken.

needs("dash", "curl");

let bench: AgentBench;
const leftovers: (() => void)[] = [];
test.beforeEach(() => {
  bench = new AgentBench();
  bench.shim("ping", PING);
});
test.afterEach(() => {
  for (const remove of leftovers.splice(0)) remove();
  bench.remove();
});

/** A server in the console's place, which notes the samples that it gets. */
async function startAnswering(answer: (response: ServerResponse, count: number) => void) {
  const samples: { sampled_at: number; daemon?: string; disk_used_pct?: number; cpu_pct?: number }[] = [];
  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.on("data", (chunk) => (text += chunk));
    incoming.on("end", () => {
      samples.push(text === "" ? {} : JSON.parse(text));
      answer(outgoing, samples.length);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  leftovers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, samples };
}

/** Without a Date, since the clock of some tests is not the true one. */
const stored = (response: ServerResponse) => {
  response.sendDate = false;
  return response.end('{"data":{"stored":true}}');
};

/** A fake clock. It advances with each sleep and stops after this many seconds. */
function startClock(seconds: number): { path: string; elapsed: () => number } {
  const path = join(bench.dir, "clock");
  const start = Math.floor(Date.now() / SECOND);
  writeFileSync(path, String(start));
  bench.shim("date", `cat ${path}`);
  bench.shim(
    "sleep",
    `now=$(cat ${path}); [ $((now - ${start})) -lt ${seconds} ] || exec /bin/sleep 60; echo $((now + $1)) >${path}`,
  );
  return { path, elapsed: () => Number(readFileSync(path, "utf8").trim() || start) - start };
}

/** The agent as systemd runs it, with a folder of its own in memory. */
function startService(origin: string, key = mintToken("serverKey"), state = bench.dir) {
  const memory = join(bench.dir, "memory");
  mkdirSync(memory);
  const agent = bench.start(["dash"], ["run", origin], `${key}\n`, {
    STATE_DIRECTORY: state,
    RUNTIME_DIRECTORY: memory,
  });
  return { ...agent, memory };
}

test("a machine whose disk is full goes on reporting, and keeps no broken check-in", async () => {
  needs("namespaces");
  const disk = join(bench.dir, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]);
  leftovers.push(() => execFileSync("umount", ["-l", disk]));
  try {
    mkdirSync(join(disk, "spool"));
    writeFileSync(join(disk, "full"), Buffer.alloc(2 ** 20));
  } catch {
    // It is full now.
  }
  bench.shim("sleep", "exec /bin/sleep 0.2");
  bench.shim("df", "echo Filesystem; echo '/dev/vda1 1000 1000 0 100% /'");
  const console = await startAnswering(stored);
  const agent = startService(console.origin, undefined, disk);
  try {
    await expect.poll(() => console.samples.length).toBeGreaterThan(2);
  } finally {
    await agent.stop();
  }
  expect(console.samples.every(({ cpu_pct }) => typeof cpu_pct === "number")).toBe(true);
  expect(console.samples.map(({ disk_used_pct }) => disk_used_pct)).toEqual(console.samples.map(() => 100));
  expect(agent.stderr()).toContain("There is no room to keep check-ins in; only the newest is sent.");
  expect(readdirSync(join(disk, "spool"))).toEqual([]);
});

/** Runs what follows with full file systems at the places in $FULL, which nobody else sees. */
const ON_FULL_DISKS = `for place in $FULL; do
  mount -t tmpfs -o size=16k tmpfs "$place" && ! head -c 100000 /dev/zero >"$place/full" 2>/dev/null || exit 99
done
exec "$@"`;

for (const shell of [...SHELLS, ["sh"]]) {
  test(`a single check-in by ${shell[0]} on a full disk still sends every measurement`, async () => {
    needs("namespaces", "busybox");
    const [disk, script] = [join(bench.dir, "disk"), join(bench.dir, "on-full-disks")];
    mkdirSync(disk);
    writeFileSync(script, ON_FULL_DISKS);
    bench.shim("df", "echo Filesystem; echo '/dev/vda1 1000 1000 0 100% /'");
    const console = await startAnswering(stored);
    const run = (FULL: string) =>
      bench.run(
        ["unshare", "--mount", "sh", script, ...shell],
        ["once", console.origin],
        `${mintToken("serverKey")}\n`,
        {
          TMPDIR: disk,
          FULL,
        },
      );
    expect(await run(disk)).toEqual({ code: 0, stdout: `Checked in at ${console.origin}.\n`, stderr: "" });
    expect(console.samples).toEqual([expect.objectContaining({ cpu_pct: expect.any(Number), disk_used_pct: 100 })]);
    const message = `agent.sh: There is no room for 64 KB of temporary files in ${disk}, /dev/shm or /run.\n`;
    expect(await run(`${disk} /dev/shm /run`)).toEqual({ code: 1, stdout: "", stderr: message });
    expect(console.samples).toHaveLength(1);
  });
}

test("a file system that does not answer is named and left out", async () => {
  bench.shim("df", "exec /bin/sleep 60");
  const { code, stdout, stderr } = await bench.run(["dash"], ["print"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ cpu_pct: expect.any(Number), uptime_s: expect.any(Number) });
  expect(JSON.parse(stdout)).not.toHaveProperty("disk_used_pct");
  expect(stderr).toMatch(/^df does not answer for \/.*, so its fullness is not known\.\n$/);
});

test("where ping ends at once, a single check-in still measures for a second", async () => {
  const slept = join(bench.dir, "slept");
  bench.shim("ping", "exit 2");
  bench.shim("sleep", `echo "$1" >>${slept}; exec /bin/sleep "$1"`);
  const { stdout } = await bench.run(["dash"], ["print", sharedOrigin()]);
  expect(JSON.parse(stdout)).toMatchObject({ cpu_pct: expect.any(Number) });
  expect(readFileSync(slept, "utf8")).toBe("1\n");
});

test("counters that could not be read at first are left out, not zero", async () => {
  const failed = join(bench.dir, "failed");
  bench.shim(
    "awk",
    `case $* in *oom_kill*OutSegs* | *OutSegs*oom_kill*) [ -e ${failed} ] || { : >${failed}; exit 1; } ;; esac
exec /usr/bin/awk "$@"`,
  );
  const { stdout } = await bench.run(["dash"], ["print"]);
  expect(existsSync(failed)).toBe(true);
  const measured = JSON.parse(stdout);
  expect(measured).toMatchObject({ mem_total_mb: expect.any(Number), uptime_s: expect.any(Number) });
  for (const name of ["cpu_pct", "cpu_steal_pct", "cpu_iowait_pct", "net_retransmit_pct", "oom_kills"]) {
    expect(measured).not.toHaveProperty(name);
  }
});

test("a ping that does not end is given up, and the rest is reported", async () => {
  // Longer than the test may take.
  bench.shim("ping", "exec /bin/sleep 600");
  const { code, stdout } = await bench.run(["dash"], ["print", sharedOrigin()]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ cpu_pct: expect.any(Number), uptime_s: expect.any(Number) });
  expect(JSON.parse(stdout)).not.toHaveProperty("net_loss_pct");
});

test("df asks about local file systems that keep files, never about network ones", async () => {
  const proc = join(bench.dir, "proc");
  execFileSync("cp", ["-r", "e2e/support/proc/before", proc]);
  mkdirSync(join(proc, "self"));
  const mounts = [
    "/dev/vda1 / ext4 rw",
    "files:/srv /mnt/nfs nfs4 rw",
    "//files/share /mnt/cifs cifs rw",
    "host /mnt/sshfs fuse.sshfs rw",
    "tmpfs /run tmpfs rw",
    "/dev/vdb /srv/my\\040data xfs rw",
    "/dev/vda1 / ext4 rw",
  ];
  writeFileSync(join(proc, "self/mounts"), mounts.map((mount) => `${mount} 0 0\n`).join(""));
  bench.shim("df", `echo "$@" >>${bench.dir}/asked; echo Filesystem; echo '/dev/vda1 100 40 60 40% /'`);
  const { stdout } = await bench.run(["dash"], ["print"], "", { PROC_ROOT: proc });
  expect(JSON.parse(stdout)).toMatchObject({ disk_used_pct: 40 });
  const asked = readFileSync(join(bench.dir, "asked"), "utf8").trim().split("\n");
  expect(asked.sort()).toEqual(["-Pk /", "-Pk /srv/my data"]);
  writeFileSync(join(proc, "self/mounts"), "files:/root / nfs rw 0 0\n");
  expect(JSON.parse((await bench.run(["dash"], ["print"], "", { PROC_ROOT: proc })).stdout)).not.toHaveProperty(
    "disk_used_pct",
  );
});

test("only the console's own answer settles a check-in, never a captive portal's page", async () => {
  const clock = startClock(400);
  const portal = await startAnswering((response, count) => {
    if (clock.elapsed() > 300) return stored(response);
    response.sendDate = false;
    response.statusCode = count % 2 === 0 ? 400 : 200;
    response.end("<html>Please sign in to the hotel's network.</html>");
  });
  const agent = startService(portal.origin);
  try {
    await expect.poll(() => readFileSync(clock.path, "utf8") && clock.elapsed() >= 400).toBe(true);
    await expect.poll(() => readdirSync(join(bench.dir, "spool"))).toEqual([]);
  } finally {
    await agent.stop();
  }
  expect(agent.stderr()).toContain("Not delivered yet (200?): a proxy answered, not the console");
  expect(agent.stderr()).toContain("Not delivered yet (400?): a proxy answered, not the console");
  // All that was measured came through in the end.
  const times = [...new Set(portal.samples.map((sample) => sample.sampled_at))].sort();
  for (const [n, time] of times.slice(1).entries()) expect(time - (times[n] ?? 0)).toBeLessThanOrEqual(45 * SECOND);
});

test("Retry-After is obeyed up to fifteen minutes, and invalid headers stop nothing", async () => {
  const clock = startClock(3800);
  const arrivals: number[] = [];
  /** What is answered, and how long the agent waits then at least. It asks again within a minute of that. */
  const cases: [headers: Record<string, string>, seconds: number][] = [
    [{ "Retry-After": "99999999999999999999" }, 0],
    [{ "Retry-After": "1000000" }, 0],
    [{ "Retry-After": "nan" }, 0],
    [{ "X-Console-Time": "99999999999999999999" }, 0],
    [{ "X-Console-Time": "0x7f" }, 0],
    [{ Date: "Sun, 22 Nov 2099 10:00:00 GMT" }, 0],
    [{ "Retry-After": "999999" }, 900],
    [{ "Retry-After": "3600" }, 900],
    [{ "Retry-After": "100" }, 100],
  ];
  const console = await startAnswering((response, count) => {
    arrivals.push(clock.elapsed());
    const [headers] = cases[count - 1] ?? [];
    if (!headers) return stored(response);
    response.sendDate = false;
    response.writeHead(503, headers);
    response.end('{"error":"Not now."}');
  });
  const agent = startService(console.origin);
  try {
    await expect.poll(() => arrivals.length, SLOW).toBeGreaterThan(cases.length + 1);
  } finally {
    await agent.stop();
  }
  for (const [n, [headers, seconds]] of cases.entries()) {
    const wait = (arrivals[n + 1] ?? 0) - (arrivals[n] ?? 0);
    expect(wait, JSON.stringify(headers)).toBeGreaterThanOrEqual(seconds);
    expect(wait, JSON.stringify(headers)).toBeLessThanOrEqual(seconds + 60);
  }
  expect(agent.stderr()).not.toContain("differ by");
});

test("an answer that never ends takes neither memory nor the next check-in", async () => {
  bench.shim("sleep", "exec /bin/sleep 0.2");
  let largest = 0;
  const memory = join(bench.dir, "memory");
  const console = await startAnswering((response, count) => {
    if (count > 1) return stored(response);
    const piece = Buffer.alloc(2 ** 16, "x");
    const write = () => {
      largest = Math.max(largest, ...readdirSync(memory).map((name) => statSync(join(memory, name)).size));
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  const agent = startService(console.origin);
  try {
    await expect.poll(() => console.samples.length).toBeGreaterThan(2);
  } finally {
    await agent.stop();
  }
  expect(largest).toBeLessThanOrEqual(2 ** 17);
});

test("GNU wget says why it could not deliver, as curl does", async () => {
  needs("wget");
  const tools = "sh dash awk cat cut date df grep head mkdir mktemp mv od rm sed sleep tail tr uname wc wget";
  bench.only(tools.split(" "));
  const { code, stderr } = await bench.run(["dash"], ["once", "http://127.0.0.1:1"], `${mintToken("serverKey")}\n`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^agent\.sh: Not checked in \(000\): .*refused/i)]);
});

test("without cksum two machines still have two names", async () => {
  const console = await startAnswering(stored);
  const tools = "sh dash awk cat curl cut date df grep head mkdir mktemp mv od rm sed sleep tail tr uname wc";
  bench.only(tools.split(" "));
  for (const name of ["one", "two"]) {
    const proc = join(bench.dir, name);
    execFileSync("cp", ["-r", "e2e/support/proc/before", proc]);
    mkdirSync(join(proc, "sys/kernel/random"), { recursive: true });
    writeFileSync(join(proc, "sys/kernel/random/boot_id"), "0e7b2a5c-6f0e-4b8e-9c59-0d6a1d0f7a11\n");
    writeFileSync(join(proc, "sys/kernel/hostname"), `${name}\n`);
    const { code } = await bench.run(["dash"], ["once", console.origin], `${mintToken("serverKey")}\n`, {
      PROC_ROOT: proc,
    });
    expect(code).toBe(0);
  }
  const [one, two] = console.samples.map(({ daemon }) => daemon);
  expect(one).toMatch(/^machine-\w{10,}/);
  expect(two).not.toBe(one);
});

/** What the agent runs at that moment, which in the tests sets the clock as well; and whether the console is away until then. */
const SETTING_MOMENTS = {
  "while check-ins are kept": { command: "systemd-detect-virt", isAway: true },
  "while a check-in is sent": { command: "curl", isAway: false },
} as const;
for (const [moment, { command, isAway }] of Object.entries(SETTING_MOMENTS)) {
  for (const [direction, behindBefore] of [
    ["forward", 3600],
    ["back", -3600],
  ] as const) {
    test(`a clock set ${direction} by an hour ${moment} puts no sample an hour off`, async () => {
      const behind = join(bench.dir, "behind");
      writeFileSync(behind, String(behindBefore));
      // As known from an earlier run.
      writeFileSync(join(bench.dir, "offset"), String(behindBefore));
      bench.shim("date", `echo $(($(/bin/date +%s) - $(cat ${behind})))`);
      bench.shim("sleep", "exec /bin/sleep 0.3");
      // The third call sets the clock right.
      const set = `echo x >>${bench.dir}/calls; [ $(wc -l <${bench.dir}/calls) != 3 ] || echo 0 >${behind}`;
      bench.shim(command, `${set}; PATH=\${PATH#*:}; exec ${command} "$@"`);
      const off: number[] = [];
      const console = await startAnswering((response, count) => {
        if (isAway && readFileSync(behind, "utf8").trim() !== "0") {
          response.statusCode = 500;
          return response.end();
        }
        off.push(Math.abs((console.samples[count - 1]?.sampled_at ?? 0) - Date.now()) / SECOND);
        return response.end('{"data":{"stored":true}}');
      });
      const agent = startService(console.origin);
      try {
        await expect.poll(() => off.length).toBeGreaterThan(7);
      } finally {
        await agent.stop();
      }
      expect(Math.max(...off)).toBeLessThan(60);
      expect(readFileSync(behind, "utf8").trim()).toBe("0");
    });
  }
}

test("install explains a service that does not deliver, such as an unreadable key", async () => {
  const { id: accountId } = await newAccount();
  const { key } = await newReportingServer(accountId);
  const root = join(bench.dir, "root");
  mkdirSync(join(root, "run/systemd/system"), { recursive: true });
  mkdirSync(join(root, "etc/systemd/system"), { recursive: true });
  bench.shim("systemctl", "exit 0");
  bench.shim("id", "echo 0");
  bench.shim("sleep", "exit 0");
  const proxy = "http://user:secret@proxy.example:3128";
  const installed = await bench.run(["dash"], ["install", sharedOrigin()], `${key}\n`, {
    DESTDIR: root,
    HTTPS_PROXY: proxy,
    no_proxy: "127.0.0.1",
    CURL_CA_BUNDLE: "/etc/ssl/own.pem",
    PUBLIC_IP: "192.0.2.7",
  });
  expect(installed.code).toBe(1);
  expect(installed.stdout).not.toContain("Installed");
  expect(installed.stderr).toContain("has not checked in within 90 seconds; see: journalctl -u console-agent");
  // The service uses the same settings as the installer.
  expect(readFileSync(join(root, "etc/console-agent/environment"), "utf8")).toBe(
    `HTTPS_PROXY=${proxy}\nno_proxy=127.0.0.1\nCURL_CA_BUNDLE=/etc/ssl/own.pem\nPUBLIC_IP=192.0.2.7\n`,
  );
  expect(statSync(join(root, "etc/console-agent/environment")).mode & 0o777).toBe(0o600);
  const { stderr } = await bench.run(["dash"], ["run", sharedOrigin()], `${key}\n`, {
    CREDENTIALS_DIRECTORY: join(bench.dir, "none"),
  });
  expect(stderr).toContain("The server key that systemd keeps cannot be read");
});
