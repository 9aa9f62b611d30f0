import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { AGENT, AgentBench, PING, SHELLS, TOOLS } from "@/e2e/support/agent";
import { newAccount, newOwnedReporter, newReportingServer } from "@/e2e/support/factories";
import { expect, getData, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import { GRID } from "@/lib/servers/telemetry/check-ins";
import { mintToken } from "@/lib/tokens/format";

// public/agent.sh, the daemon of people's machines, under the shells that it is made for.

needs("dash", "busybox", "curl");

let bench: AgentBench;
test.beforeEach(() => {
  bench = new AgentBench();
  // Five pings take four seconds; most tests are not about them.
  bench.shim("ping", PING);
});
test.afterEach(() => bench.remove());

const samplesOf = (serverId: number) => db.telemetrySample.findMany({ where: { serverId }, orderBy: { at: "asc" } });

for (const shell of SHELLS) {
  for (const client of ["curl", "wget"] as const) {
    test(`${shell[0]} with ${client} checks in once without exposing the key in arguments or variables`, async () => {
      needs(client);
      const { token, id, key } = await newOwnedReporter();
      const real = execFileSync("which", [client], { encoding: "utf8" }).trim();
      const seen = join(bench.dir, "seen");
      bench.shim(
        client,
        `case $1 in --version) ;; *) echo "$@" >>${seen}; /usr/bin/env >>${seen} ;; esac; exec ${real} "$@"`,
      );
      // Without curl the agent takes wget.
      if (client === "wget") bench.only([...TOOLS, "wget"]);
      const { code, stdout, stderr } = await bench.run(shell, ["once", `${sharedOrigin()}/`], `${key}\n`);
      expect([code, stdout, stderr]).toEqual([0, `Checked in at ${sharedOrigin()}.\n`, ""]);
      expect(readFileSync(seen, "utf8")).toContain("/ingest/v1/check-ins");
      expect(readFileSync(seen, "utf8")).not.toContain(key.slice(5, 20));
      expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
        online: true,
        facts: { kernel: readFileSync("/proc/sys/kernel/osrelease", "utf8").trim(), cores: expect.any(Number) },
      });
      const [sample] = await samplesOf(id);
      expect(sample).toMatchObject({ netLossPct: 0, memUsedPct: expect.any(Number), diskUsedPct: expect.any(Number) });
    });
  }
}

test("print needs neither key nor network and shows every measurement the machine offers", async () => {
  bench.shim("systemctl", "echo 'a.service loaded failed failed A'");
  // A machine that sent nothing in between has no retransmissions.
  bench.shim("ping", `curl -s ${sharedOrigin()}/healthz >/dev/null; ${PING}`);
  for (const shell of SHELLS) {
    const { code, stdout } = await bench.run(shell, ["print", "http://127.0.0.1:1"]);
    expect(code).toBe(0);
    const { sampled_at, daemon, facts, ...measured } = JSON.parse(stdout);
    expect(Math.abs(sampled_at - Date.now())).toBeLessThan(MINUTE);
    expect(daemon).toMatch(/^[0-9a-f]{16}$/);
    expect(facts).toMatchObject({
      ...{ os: expect.any(String), kernel: expect.any(String), cores: expect.any(Number) },
      hostname: readFileSync("/proc/sys/kernel/hostname", "utf8").trim(),
    });
    const systemd = existsSync("/run/systemd/system") ? ["failed_units"] : [];
    expect(Object.keys(measured).sort()).toEqual(
      [
        ...["cpu_iowait_pct", "cpu_pct", "cpu_steal_pct", "disk_used_pct", "load5", "mem_total_mb", "mem_used_mb"],
        ...["net_loss_pct", "net_retransmit_pct", "oom_kills", "swap_used_pct", "uptime_s", ...systemd],
      ].sort(),
    );
  }
});

test("packet loss is measured against the console and unknown when it never answers", async () => {
  const loss = async (line: string) => {
    bench.shim("ping", line);
    return JSON.parse((await bench.run(["dash"], ["print", sharedOrigin()])).stdout).net_loss_pct;
  };
  expect(await loss("echo '5 packets transmitted, 4 received, 20% packet loss, time 4ms'")).toBe(20);
  expect(await loss("echo '5 packets transmitted, 3 packets received, 40% packet loss'")).toBe(40);
  expect(await loss("echo '5 packets transmitted, 0 received, 100% packet loss'; exit 1")).toBeUndefined();
  expect(await loss("exit 2")).toBeUndefined();
  // The host of the URL alone is asked.
  bench.shim("ping", `echo "$@" >${bench.dir}/asked`);
  await bench.run(["dash"], ["print", "https://[2001:db8::1]:8443/"]);
  expect(readFileSync(join(bench.dir, "asked"), "utf8").trim().split(" ").at(-1)).toBe("2001:db8::1");
});

test("every mistake is one clear sentence, and nothing is sent", async () => {
  for (const [words, input, message] of [
    [["once", "console.example.com"], "", "URL must be the console's, such as https://console.example.com."],
    [["once", "https://a b"], "", "URL holds a character that does not belong there."],
    [["once", sharedOrigin()], "cpat_nothing\n", "That is no server key"],
    [["once", sharedOrigin()], `${mintToken("serverKey").slice(0, -1)}"\n`, "That is no server key"],
    [["once", sharedOrigin()], `${mintToken("serverKey")}\n`, "Not checked in (401): Invalid or replaced server key."],
    [["once", "http://127.0.0.1:1"], `${mintToken("serverKey")}\n`, "Not checked in (000): "],
    [["unknown"], "", ""],
  ] as [string[], string, string][]) {
    const { code, stderr } = await bench.run(["dash"], words, input);
    expect(code, words.join(" ")).toBe(1);
    expect(stderr).toContain(message);
  }
  bench.only(TOOLS);
  expect((await bench.once(sharedOrigin())).stderr).toContain("This needs curl or GNU wget");
});

test("check-ins of an hour's outage are kept, replayed in order and fully counted", async () => {
  const { id: accountId } = await newAccount();
  const end = Math.floor(Date.now() / SECOND);
  const start = end - 64 * 60;
  const { id, key } = await newReportingServer(accountId, { createdAt: new Date((start - 60) * SECOND) });
  const clock = bench.startClock(64 * 60, start);
  const pinged = "echo '5 packets transmitted, 5 received, 0% packet loss'";
  bench.shim("ping", `read -r now <${clock.path}; echo $((now + 4)) >${clock.path}; ${pinged}`);
  const isAway = () => clock.elapsed() > 60 && clock.elapsed() < 62 * 60;
  // In front of the console: drops connections, and tells the time by the agent's clock.
  const flaky = await bench.startAnswering(async (response, _, sample) => {
    if (isAway()) return response.destroy();
    const answer = await fetch(`${sharedOrigin()}/ingest/v1/check-ins`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(sample),
    });
    response.sendDate = false;
    response.writeHead(answer.status, { "X-Console-Time": String(start + clock.elapsed()) });
    response.end(await answer.text());
  });
  const agent = bench.start(["busybox", "sh"], ["run", flaky.origin], `${key}\n`, {
    PROC_ROOT: resolve("e2e/support/proc/before"),
    STATE_DIRECTORY: bench.dir,
  });
  await expect.poll(() => clock.elapsed(), SLOW).toBeGreaterThan(63 * 60);
  await expect.poll(() => readdirSync(join(bench.dir, "spool"))).toEqual([]);
  await agent.stop();
  const times = (await samplesOf(id)).map(({ at }) => at.getTime());
  expect(times.length).toBeGreaterThan(110);
  for (const [n, time] of times.slice(1).entries()) expect(time - (times[n] ?? 0)).toBeLessThanOrEqual(50 * SECOND);
  const onGrid = (at: number) => Math.floor(at / GRID) * GRID;
  expect(flaky.samples.every(({ sampled_at }) => times.includes(onGrid(sampled_at)))).toBe(true);
  const minutes = new Set(times.map((time) => Math.floor(time / MINUTE))).size;
  const hours = await db.telemetryHour.findMany({ where: { serverId: id } });
  expect(hours.reduce((sum, { seen }) => sum + seen.toString(2).replaceAll("0", "").length, 0)).toBe(minutes);
  expect(minutes).toBeGreaterThanOrEqual(63);
  expect(hours.every(({ reboots, oomKills }) => reboots === 0 && oomKills === 0)).toBe(true);
  expect(agent.stderr()).toContain("Not delivered yet (000)");
  expect(agent.stderr()).not.toContain(key.slice(5, 20));
});

/** Everything below a folder, as paths within it. */
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length))
    .sort();

test("install checks in, protects the key and starts a service; uninstall leaves nothing", async () => {
  const { id, key } = await newReportingServer();
  const root = join(bench.dir, "root");
  mkdirSync(join(root, "run/systemd/system"), { recursive: true });
  mkdirSync(join(root, "etc/systemd/system"), { recursive: true });
  const calls = join(bench.dir, "calls");
  // What systemd starts delivers, and says so where the installer looks.
  const started = join(root, "run/console-agent/delivered");
  bench.shim(
    "systemctl",
    `echo "$@" >>${calls}; [ $1 != restart ] || { mkdir -p ${root}/run/console-agent; : >${started}; }`,
  );
  bench.shim("id", "echo 0");
  const proxy = "http://user:secret@proxy.example:3128";
  const settings = {
    HTTPS_PROXY: proxy,
    no_proxy: "127.0.0.1",
    CURL_CA_BUNDLE: "/etc/ssl/own.pem",
    PUBLIC_IP: "192.0.2.7",
  };
  const run = (words: string[], input = "") => bench.run(["dash"], words, input, { DESTDIR: root, ...settings });

  const refused = await run(["install", sharedOrigin()], `${mintToken("serverKey")}\n`);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Invalid or replaced server key.")]);
  expect(filesIn(root)).toEqual([]);

  const installed = await run(["install", sharedOrigin()], `${key}\n`);
  expect([installed.code, installed.stderr]).toEqual([0, ""]);
  expect(installed.stdout).toContain("Installed: this machine reports every 30 seconds.");
  expect(await samplesOf(id)).toHaveLength(1);
  const [environment, keyFile, unit, script] = [
    "/etc/console-agent/environment",
    "/etc/console-agent/key",
    "/etc/systemd/system/console-agent.service",
    "/usr/local/lib/console-agent/agent.sh",
  ];
  expect(filesIn(root)).toEqual([environment, keyFile, unit, started.slice(root.length), script]);
  expect([readFileSync(root + keyFile, "utf8"), statSync(root + keyFile).mode & 0o777]).toEqual([`${key}\n`, 0o640]);
  // The service uses the same settings as the installer.
  expect(
    readFileSync(root + environment, "utf8")
      .trim()
      .split("\n"),
  ).toEqual(Object.entries(settings).map(([name, value]) => `${name}=${value}`));
  expect(statSync(root + environment).mode & 0o777).toBe(0o600);
  expect(readFileSync(root + script, "utf8")).toBe(readFileSync(AGENT, "utf8"));
  expect(readFileSync(root + unit, "utf8")).toContain(`ExecStart=/bin/sh ${script} run ${sharedOrigin()}\n`);
  expect(readFileSync(root + unit, "utf8")).toContain("DynamicUser=yes\n");
  expect(readFileSync(calls, "utf8")).toContain(
    "daemon-reload\nenable console-agent.service\nrestart console-agent.service\n",
  );
  expect((await run(["status"])).stdout).toContain("No check-in waits for the console.");
  expect((await run(["uninstall"])).code).toBe(0);
  rmSync(started);
  expect(filesIn(root)).toEqual([]);
  expect(readFileSync(calls, "utf8")).toContain("disable --now console-agent.service");
});

test("without systemd install suggests a cron line, and without root it says so", async () => {
  const { key } = await newReportingServer();
  const run = () => bench.run(["dash"], ["install", sharedOrigin()], `${key}\n`, { DESTDIR: join(bench.dir, "root") });
  bench.shim("id", "echo 1000");
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("install needs root: sudo sh agent.sh"),
  });
  bench.shim("id", "echo 0");
  expect((await run()).stdout).toContain(
    `\n* * * * * /bin/sh /usr/local/lib/console-agent/agent.sh once ${sharedOrigin()} </etc/console-agent/key >/dev/null\n`,
  );
});

test("shellcheck and systemd-analyze verify find nothing to say", async () => {
  needs("shellcheck", "systemd-analyze");
  execFileSync("shellcheck", ["--shell=sh", "public/agent.sh"]);
  const { stdout } = await bench.run(["dash"], ["unit", "https://console.example.com"]);
  const unit = join(bench.dir, "console-agent.service");
  writeFileSync(unit, stdout);
  expect(execFileSync("systemd-analyze", ["verify", unit], { encoding: "utf8", stdio: "pipe" })).toBe("");
});
