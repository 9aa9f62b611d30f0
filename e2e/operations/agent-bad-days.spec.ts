import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentBench, PING, SHELLS, stored } from "@/e2e/support/agent";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { mintToken } from "@/lib/tokens/format";

// public/agent.sh when its disk, df or ping fails.

needs("dash", "curl");

let bench: AgentBench;
test.beforeEach(() => {
  bench = new AgentBench();
  bench.shim("ping", PING);
});
test.afterEach(() => bench.remove());

test("a machine whose disk is full goes on reporting, and keeps no broken check-in", async () => {
  needs("namespaces");
  const disk = join(bench.dir, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", disk]);
  bench.leftovers.push(() => execFileSync("umount", ["-l", disk]));
  try {
    mkdirSync(join(disk, "spool"));
    writeFileSync(join(disk, "full"), Buffer.alloc(2 ** 20));
  } catch {
    // It is full now.
  }
  bench.shim("sleep", "exec /bin/sleep 0.2");
  bench.shim("df", "echo Filesystem; echo '/dev/vda1 1000 1000 0 100% /'");
  const console = await bench.startAnswering(stored);
  const agent = bench.startService(console.origin, undefined, disk);
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
    const console = await bench.startAnswering(stored);
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
