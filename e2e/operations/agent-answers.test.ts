import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stored, TOOLS, writeFiles } from "@/e2e/support/agent";
import { agentTest as test } from "@/e2e/support/agent-test";
import { SLOW } from "@/e2e/support/patience";
import { needsProgram } from "@/e2e/support/unit-needs";
import { SECOND } from "@/lib/format/time";

// public/agent.sh when what answers it, or its clock, is not as it should be.

test("only the console's own answer settles a check-in, never a captive portal's page", async ({ bench, expect }) => {
  const clock = bench.startClock(400);
  const portal = await bench.startAnswering((response, count) => {
    if (clock.elapsed() > 300) return stored(response);
    response.sendDate = false;
    response.statusCode = count % 2 === 0 ? 400 : 200;
    response.end("<html>Please sign in to the hotel's network.</html>");
  });
  const agent = bench.startService(portal.origin, bench.machine());
  await expect.poll(() => clock.elapsed(), SLOW).toBeGreaterThanOrEqual(400);
  await expect.poll(() => readdirSync(join(bench.dir, "spool"))).toEqual([]);
  await agent.stop();
  expect(agent.stderr()).toContain("Not delivered yet (200?): a proxy answered, not the console");
  expect(agent.stderr()).toContain("Not delivered yet (400?): a proxy answered, not the console");
  // All that was measured came through in the end.
  const times = [...new Set(portal.samples.map((sample) => sample.sampled_at))].sort();
  for (const [n, time] of times.slice(1).entries()) expect(time - (times[n] ?? 0)).toBeLessThanOrEqual(45 * SECOND);
});

test("Retry-After is obeyed up to fifteen minutes, and invalid headers stop nothing", async ({ bench, expect }) => {
  const clock = bench.startClock(3800);
  const machine = bench.machine();
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
  const console = await bench.startAnswering((response, count) => {
    arrivals.push(clock.elapsed());
    const [headers, seconds] = cases[count - 1] ?? [];
    if (!headers) return stored(response);
    // Most of a long wait passes at once, for the clock and the machine alike. What is asked before its end comes too early.
    if (seconds === 900) {
      clock.advance(840);
      writeFiles(machine.PROC_ROOT, { uptime: `${1000 + clock.elapsed()}.00 1.00\n` });
    }
    response.sendDate = false;
    response.writeHead(503, headers);
    response.end('{"error":"Not now."}');
  });
  const agent = bench.startService(console.origin, machine);
  await expect.poll(() => arrivals.length, SLOW).toBeGreaterThan(cases.length + 1);
  await agent.stop();
  for (const [n, [headers, seconds]] of cases.entries()) {
    const wait = (arrivals[n + 1] ?? 0) - (arrivals[n] ?? 0);
    expect(wait, JSON.stringify(headers)).toBeGreaterThanOrEqual(seconds);
    expect(wait, JSON.stringify(headers)).toBeLessThanOrEqual(seconds + 60);
  }
  expect(agent.stderr()).not.toContain("differ by");
});

test("the spool holds 150 check-ins, drops the oldest first and obeys Retry-After", async ({ bench, expect }) => {
  const reports: { at: number; sampledAt: number }[] = [];
  const now = Math.floor(Date.now() / SECOND);
  const clock = bench.startClock(200);
  const console = await bench.startAnswering((response, count, { sampled_at: sampledAt }) => {
    reports.push({ at: clock.elapsed(), sampledAt });
    const status = [503, 400][count - 1] ?? 200;
    response.sendDate = false;
    response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "95" });
    response.end(status === 200 ? '{"data":{"stored":true}}' : '{"error":"Not now."}');
  });
  const spool = join(bench.dir, "spool");
  for (let n = 0; n < 160; n++) {
    writeFiles(spool, { [`${now - 5000 + n * 30}.json`]: JSON.stringify({ sampled_at: n }) });
  }
  const agent = bench.startService(console.origin, bench.machine());
  await expect.poll(() => reports.length, SLOW).toBeGreaterThan(3);
  await agent.stop();
  const [first, second, third] = reports;
  // The spool dropped the oldest 11 of 161 samples, and more for samples taken during the 95 seconds of waiting.
  expect(first?.sampledAt).toBe(11);
  expect(second?.sampledAt).toBeGreaterThan(11);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(95);
  // The agent does not resend a permanently refused check-in.
  expect(third?.sampledAt).toBe((second?.sampledAt ?? 0) + 1);
  expect(agent.stderr()).toContain("The console asks to wait: Not now.");
  expect(agent.stderr()).toContain("The console cannot use a check-in, which is left out: Not now.");
});

test("an answer that never ends takes neither memory nor the next check-in", async ({ bench, expect }) => {
  let largest = 0;
  const memory = join(bench.dir, "memory");
  const console = await bench.startAnswering((response, count) => {
    if (count > 1) return stored(response);
    const piece = Buffer.alloc(2 ** 16, "x");
    const write = () => {
      largest = Math.max(largest, ...readdirSync(memory).map((name) => statSync(join(memory, name)).size));
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  const agent = bench.startService(console.origin);
  await expect.poll(() => console.samples.length).toBeGreaterThan(2);
  await agent.stop();
  expect(largest).toBeLessThanOrEqual(2 ** 17);
});

test("GNU wget says why it could not deliver, as curl does", async ({ bench, expect, task, skip }) => {
  needsProgram({ task, skip }, "wget");
  bench.only([...TOOLS, "wget"]);
  const { code, stderr } = await bench.once("http://127.0.0.1:1");
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^agent\.sh: Not checked in \(000\): .*refused/i)]);
});

test("of two machines each keeps a name of its own, with or without cksum", async ({ bench, expect }) => {
  const console = await bench.startAnswering(stored);
  for (const [name, boot] of [
    ["one", "0e7b2a5c-6f0e-4b8e-9c59-0d6a1d0f7a11"],
    ["two", "0e7b2a5c-6f0e-4b8e-9c59-0d6a1d0f7a11"],
    ["three", "7c1d4c0e-93b5-4f5e-8d0c-2f3b5a6c7d88"],
  ] as const) {
    const files = { "sys/kernel/random/boot_id": `${boot}\n`, "sys/kernel/hostname": `${name}\n` };
    cpSync("e2e/support/proc/before", join(bench.dir, name), { recursive: true });
    writeFiles(join(bench.dir, name), files);
  }
  const nameOf = async (machine: string) => {
    const variables = { PROC_ROOT: join(bench.dir, machine) };
    expect((await bench.once(console.origin, variables)).code).toBe(0);
    return String(console.samples.at(-1)?.daemon);
  };
  const one = await nameOf("one");
  expect(one).toMatch(/^machine-\d+$/);
  expect(await nameOf("one")).toBe(one);
  expect(new Set([one, await nameOf("two"), await nameOf("three")]).size).toBe(3);
  bench.only([...TOOLS.filter((name) => name !== "cksum"), "curl"]);
  expect(await nameOf("one")).toMatch(/^machine-\w{10,}/);
  expect(await nameOf("two")).not.toBe(await nameOf("one"));
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
    test(`a clock set ${direction} by an hour ${moment} puts no sample an hour off`, async ({ bench, expect }) => {
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
      const console = await bench.startAnswering((response, count) => {
        if (isAway && readFileSync(behind, "utf8").trim() !== "0") {
          response.statusCode = 500;
          return response.end();
        }
        off.push(Math.abs((console.samples[count - 1]?.sampled_at ?? 0) - Date.now()) / SECOND);
        return response.end('{"data":{"stored":true}}');
      });
      const agent = bench.startService(console.origin);
      await expect.poll(() => off.length).toBeGreaterThan(7);
      await agent.stop();
      expect(Math.max(...off)).toBeLessThan(60);
      expect(readFileSync(behind, "utf8").trim()).toBe("0");
    });
  }
}
