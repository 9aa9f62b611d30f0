import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentBench, type Answer, EACH_SHELL, TOOLS, writeFiles } from "@/e2e/support/agent";
import { agentTest as test } from "@/e2e/support/agent-test";
import { SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

// How public/agent.sh delivers and starts where df, what answers, the clock or systemd is not as it should be.

for (const shell of EACH_SHELL) {
  test(`hanging file systems are named, not asked again, and hide no others: ${shell.join(" ")}`, async ({
    bench,
    expect,
  }) => {
    const log = join(bench.dir, "asked");
    // A busy machine reaches all others within the eight looks at one that hangs.
    bench.shim("sleep", "exec /bin/sleep 0.7");
    bench.shim(
      "df",
      `echo "$$ $*" >>${log}; shift
       for path; do case $path in /bad*) exec /bin/sleep 600 ;; /full) echo 'x 100 99 1 99% /full' ;; *) echo "x 100 20 80 20% $path" ;; esac; done`,
    );
    const line = (path: string, n: number) => `${30 + n} 1 8:${n} / ${path} rw - ext4 /dev/sd${n} rw\n`;
    const good = Array.from({ length: 25 }, (_, n) => `/good${n}`);
    const bad = Array.from({ length: 9 }, (_, n) => `/bad${n}`);
    const mounts = (paths: readonly string[]) =>
      paths
        .map((path) => line(path, Number(/\d+$/.exec(path)?.[0] ?? 500) + (path.startsWith("/bad") ? 200 : 0)))
        .join("");
    const paths = bench.machine({ "self/mountinfo": mounts(["/bad0", ...good, "/full", "/good0"]) });
    const console = await bench.startConsole();
    const agent = bench.startService(console.origin, paths, shell);
    await expect.poll(() => console.samples.length).toBeGreaterThan(1);
    // One is gone before the one that hangs, and others come: the figures stay with their paths.
    writeFiles(paths.PROC_ROOT, { "self/mountinfo": mounts([...good.slice(1), "/bad0", "/full"]) });
    const seen = console.samples.length;
    await expect.poll(() => console.samples.length).toBeGreaterThan(seen + 1);
    expect(console.samples.map(({ disk_used_pct }) => disk_used_pct)).toEqual(console.samples.map(() => 99));
    expect(agent.stderr()).toContain("df does not answer for /bad0, so");
    writeFiles(paths.PROC_ROOT, { "self/mountinfo": mounts([...bad, "/full"]) });
    await expect
      .poll(() => agent.stderr())
      .toMatch(/for \/bad0, \/bad1, \/bad2 and 5 more; with 8 such no other is asked/);
    await agent.stop();
    const asked = readFileSync(log, "utf8").trim().split("\n");
    // One source is asked once with all its paths.
    expect(asked.filter((words) => words.endsWith("-Pk /bad0"))).toHaveLength(1);
    expect(asked.filter((words) => words.includes("/bad"))).toHaveLength(8);
  });
}

test("with eight df that no signal ends, a single check-in starts no other", async ({ bench, expect }) => {
  const log = join(bench.dir, "asked");
  bench.shim("df", `echo asked >>${log}; echo 'x 100 20 80 20% /'`);
  const hanging = (n: number) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`${700 + i}/stat`, `${700 + i} (df) D 1 1 1 0 -1 0\n`]));
  expect(await bench.print(bench.machine(hanging(7)))).toMatchObject({ disk_used_pct: 20, stderr: "" });
  rmSync(log);
  const told = await bench.print(bench.machine(hanging(8)));
  expect(told.stderr).toContain("df does not answer for 8 file systems; with 8 such no other is asked, so");
  expect([told.disk_used_pct, existsSync(log)]).toEqual([undefined, false]);
});

// By itself: beside the others its df may take longer than a round of looks on a busy machine.
test.sequential("each slow source is asked once before any is asked again", async ({ bench, expect }) => {
  const log = join(bench.dir, "asked");
  bench.shim("sleep", "exec /bin/sleep 0.4");
  bench.shim("df", `echo "$2" >>${log}; /bin/sleep 0.6; echo "x 100 20 80 20% $2"`);
  const mountinfo = Array.from({ length: 40 }, (_, n) => `${30 + n} 1 8:${n} / /d${n} rw - ext4 /dev/sd${n} rw\n`);
  const paths = bench.machine({ "self/mountinfo": mountinfo.join("") });
  const console = await bench.startConsole();
  const agent = bench.startService(console.origin, paths);
  const asked = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  await expect.poll(() => asked().length).toBeGreaterThanOrEqual(40);
  await agent.stop();
  expect(new Set(asked().slice(0, 40)).size).toBe(40);
});

/** What the agent also runs without. */
const WITHOUT_TIMEOUT = TOOLS.filter((name) => name !== "timeout");

for (const client of ["curl", "wget"]) {
  test(`the key follows no redirect, and an intermediary's answer is named as such: ${client}`, async ({
    bench,
    expect,
  }) => {
    bench.only([...WITHOUT_TIMEOUT, client]);
    bench.shim("sleep", "exit 0");
    let answer: Answer = {};
    const console = await bench.startConsole(() => answer);
    const other = await bench.startConsole();
    const once = async (next: Answer) => {
      answer = next;
      const { code, stderr } = await bench.once(console.origin, bench.machine());
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

  test(`a clock that was never set is corrected by the console's time alone: ${client}`, async ({ bench, expect }) => {
    bench.only([...WITHOUT_TIMEOUT, client]);
    bench.shim("sleep", "exit 0");
    for (const clock of [100, 1735689600, 4102444800]) {
      bench.shim("date", `echo ${clock}`);
      const now = Math.floor(Date.now() / SECOND);
      const console = await bench.startConsole((_, sampledAt) => {
        const headers = { "X-Console-Time": String(now) };
        if (Math.abs(sampledAt / SECOND - now) < 60) return { headers };
        return { status: 400, headers, body: '{"error":"sampled_at: is old."}' };
      });
      const paths = bench.machine();
      const ended = await bench.once(console.origin, paths);
      expect([ended.code, ended.stdout]).toEqual([0, `Checked in at ${console.origin}.\n`]);
      const [, off, told] = /^The clocks .* differ by (\d+) seconds; (.*)$/m.exec(ended.stderr) ?? [];
      expect([off, told]).toEqual([String(Math.abs(now - clock)), "check-ins carry the console's time."]);
    }
  });
}

/** Starts the agent with its clock at 2000-01-01, with kept check-ins of these times. The console judges by the true time. */
async function startWithoutClock(bench: AgentBench, kept: readonly number[], isAway: () => boolean = () => false) {
  for (const at of kept) {
    writeFiles(bench.dir, { [`spool/${at}.json`]: `{"sampled_at":${at}000,"daemon":"before"}\n` });
  }
  const clock = join(bench.dir, "clock");
  writeFileSync(clock, "946684800");
  bench.shim("date", `cat ${clock}`);
  const now = Math.floor(Date.now() / SECOND);
  const taken: number[] = [];
  const console = await bench.startConsole((_, sampledAt) => {
    if (isAway()) return { status: 502, body: "" };
    const headers = { "X-Console-Time": String(now) };
    const age = now - sampledAt / SECOND;
    if (age > 7200 || age < -300) return { status: 400, headers, body: '{"error":"sampled_at: is old."}' };
    taken.push(sampledAt / SECOND);
    return { headers };
  });
  const agent = bench.startService(console.origin, bench.machine());
  return { agent, console, taken, now, clock };
}

test("check-ins kept from before a loss of the clock keep their true times", async ({ bench, expect }) => {
  const [old, ...kept] = [10_000, 120, 90].map((ago) => Math.floor(Date.now() / SECOND) - ago) as [
    number,
    number,
    number,
  ];
  const { agent, console, taken, now } = await startWithoutClock(bench, [old, ...kept]);
  await expect.poll(() => taken.length).toBeGreaterThan(2);
  await agent.stop();
  expect(taken.slice(0, 3)).toEqual([...kept, now]);
  expect(agent.stderr().match(/left out/g)).toHaveLength(1);
  // The old one goes out as it is, with the console's time, and as it is; the others with the time first.
  expect(console.samples.filter(({ daemon }) => daemon === "before")).toHaveLength(3 + 2 + 2);
});

test("a clock that is set moves only check-ins that it measured", async ({ bench, expect }) => {
  const kept = [120, 90].map((ago) => Math.floor(Date.now() / SECOND) - ago);
  let isAway = true;
  const { agent, console, taken, now, clock } = await startWithoutClock(bench, kept, () => isAway);
  await expect.poll(() => console.samples.length).toBeGreaterThan(1);
  isAway = false;
  writeFileSync(clock, String(now));
  await expect.poll(() => taken.length).toBeGreaterThan(2);
  await agent.stop();
  expect(taken.slice(0, 3)).toEqual([...kept, now]);
  expect(agent.stderr()).not.toContain("left out");
});

test("the service reads the key file where systemd gives no credentials", async ({ bench, expect }) => {
  const root = join(bench.dir, "root");
  const key = mintToken("serverKey");
  writeFiles(root, { "etc/console-agent/key": `${key}\n` });
  writeFiles(bench.dir, { "unended/key": key });
  const console = await bench.startConsole();
  for (const [variables, input] of [
    [{}, ""],
    [{ CREDENTIALS_DIRECTORY: join(bench.dir, "none") }, ""],
    [{ CREDENTIALS_DIRECTORY: "" }, ""],
    [{ CREDENTIALS_DIRECTORY: join(bench.dir, "unended"), DESTDIR: bench.dir }, ""],
  ] as const) {
    const before = console.samples.length;
    const agent = bench.start(["dash"], ["run", console.origin], input, {
      ...bench.machine(),
      DESTDIR: root,
      ...variables,
    });
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
