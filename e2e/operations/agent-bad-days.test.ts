import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PING, SHELLS, stored, writeFiles } from "@/e2e/support/agent";
import { agentTest as test } from "@/e2e/support/agent-test";
import { needsProgram } from "@/e2e/support/unit-needs";

// public/agent.sh when its disk, df or ping fails.

test("a machine whose disk is full goes on reporting, and keeps no broken check-in", async ({
  bench,
  expect,
  task,
  skip,
}) => {
  needsProgram({ task, skip }, "namespaces");
  bench.shim("ping", PING);
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
  bench.shim("df", "echo Filesystem; echo '/dev/vda1 1000 1000 0 100% /'");
  const console = await bench.startAnswering(stored);
  const agent = bench.startService(console.origin, { STATE_DIRECTORY: disk });
  await expect.poll(() => console.samples.length).toBeGreaterThan(2);
  await agent.stop();
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
  test(`a single check-in by ${shell[0]} on a full disk still sends every measurement`, async ({
    bench,
    expect,
    task,
    skip,
  }) => {
    for (const program of ["namespaces", "busybox"] as const) needsProgram({ task, skip }, program);
    const [disk, script] = [join(bench.dir, "disk"), join(bench.dir, "on-full-disks")];
    mkdirSync(disk);
    writeFileSync(script, ON_FULL_DISKS);
    bench.shim("df", "echo Filesystem; echo '/dev/vda1 1000 1000 0 100% /'");
    const console = await bench.startAnswering(stored);
    const run = (FULL: string) =>
      bench.once(console.origin, { TMPDIR: disk, FULL }, ["unshare", "--mount", "sh", script, ...shell]);
    expect(await run(disk)).toEqual({ code: 0, stdout: `Checked in at ${console.origin}.\n`, stderr: "" });
    expect(console.samples).toEqual([expect.objectContaining({ cpu_pct: expect.any(Number), disk_used_pct: 100 })]);
    const message = `agent.sh: There is no room for 64 KB of temporary files in ${disk}, /dev/shm or /run.\n`;
    expect(await run(`${disk} /dev/shm /run`)).toEqual({ code: 1, stdout: "", stderr: message });
    expect(console.samples).toHaveLength(1);
  });
}

test("where ping ends at once, a single check-in still measures for a second", async ({ bench, expect }) => {
  const slept = join(bench.dir, "slept");
  bench.shim("ping", "exit 2");
  bench.shim("sleep", `echo "$1" >>${slept}; exec /bin/sleep "$1"`);
  expect(await bench.print({})).toMatchObject({ cpu_pct: expect.any(Number) });
  expect(readFileSync(slept, "utf8")).toBe("1\n");
});

test("a ping that does not end is given up, and the rest is reported", async ({ bench, expect }) => {
  // Longer than the test may take.
  bench.shim("ping", "exec /bin/sleep 600");
  bench.shim("timeout", 'shift; exec /usr/bin/timeout 1 "$@"');
  const { code, stdout } = await bench.run(["dash"], ["print", "http://127.0.0.1:1"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ cpu_pct: expect.any(Number), uptime_s: expect.any(Number) });
  expect(JSON.parse(stdout)).not.toHaveProperty("net_loss_pct");
});

test("df asks about local file systems that keep files, never about network ones", async ({ bench, expect }) => {
  const mounts = [
    "/dev/vda1 / ext4 rw",
    "files:/srv /mnt/nfs nfs4 rw",
    "//files/share /mnt/cifs cifs rw",
    "host /mnt/sshfs fuse.sshfs rw",
    "tmpfs /run tmpfs rw",
    "/dev/vdb /srv/my\\040data xfs rw",
    "/dev/vda1 / ext4 rw",
  ];
  const machine = bench.machine({ "self/mounts": mounts.map((mount) => `${mount} 0 0\n`).join("") });
  rmSync(join(machine.PROC_ROOT, "self/mountinfo"));
  bench.shim("df", `echo "$@" >>${bench.dir}/asked; echo Filesystem; echo '/dev/vda1 100 40 60 40% /'`);
  expect(await bench.print(machine)).toMatchObject({ disk_used_pct: 40 });
  const asked = readFileSync(join(bench.dir, "asked"), "utf8").trim().split("\n");
  expect(asked.sort()).toEqual(["-Pk /", "-Pk /srv/my data"]);
  writeFiles(machine.PROC_ROOT, { "self/mounts": "files:/root / nfs rw 0 0\n" });
  expect(await bench.print(machine)).not.toHaveProperty("disk_used_pct");
});
