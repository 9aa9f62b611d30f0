import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { AgentBench } from "@/e2e/support/agent";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, getData, sharedOrigin, test } from "@/e2e/support/fixtures";
import {
  hasProgram,
  type RunningAgent,
  startCollectd,
  startNodeExporter,
  startPrometheusAgent,
  startTarget,
} from "@/e2e/support/stock-agents";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/time";

// Debian's own agents, with the configurations that the console shows.

test.skip(!hasProgram("prometheus") || !hasProgram("prometheus-node-exporter"), "Prometheus is not installed");

/** On a machine five times slower. */
const LONG = { timeout: 3 * MINUTE, intervals: [SECOND] };

const running: { stop(): unknown }[] = [];
function own<Started extends { stop(): unknown }>(started: Started): Started {
  running.push(started);
  return started;
}
test.afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

const samplesOf = (serverId: number) => db.telemetrySample.findMany({ where: { serverId }, orderBy: { ts: "asc" } });

async function reportingServer() {
  const { id: accountId, token } = await newAccount();
  return { ...(await newReportingServer(accountId)), token };
}

const prometheus = async (name: string, key: string, target: string): Promise<RunningAgent> =>
  own(await startPrometheusAgent(test.info().outputPath(name), sharedOrigin(), key, target));

/** The daemon's one check-in as it would send it. */
async function printed(bench: AgentBench, variables: Record<string, string> = {}) {
  const { stdout } = await bench.run(["dash"], ["print", sharedOrigin()], "", variables);
  return JSON.parse(stdout) as Record<string, number>;
}

test("of one recorded machine Prometheus with the node exporter and the daemon measure the same, to the hundredth", {
  tag: ["@one-engine", "@waits"],
}, async () => {
  test.setTimeout(5 * MINUTE);
  const { id, key } = await reportingServer();
  const [before, after] = ["before", "after"].map((name) => resolve("e2e/support/proc", name)) as [string, string];
  const exporters = [own(await startNodeExporter(before)), own(await startNodeExporter(after))] as const;
  let isAfter = false;
  const { target, close } = await startTarget(() => exporters[isAfter ? 1 : 0].target);
  running.push({ stop: close });
  const agent = await prometheus("prometheus", key, target);
  await expect.poll(() => samplesOf(id), { ...LONG, message: agent.output() }).not.toHaveLength(0);
  isAfter = true;
  const moved = async () => (await samplesOf(id)).filter(({ cpuPct }) => cpuPct !== null);
  await expect.poll(moved, LONG).toHaveLength(1);
  const [sample] = await moved();

  const bench = new AgentBench();
  try {
    const proc = join(bench.dir, "proc");
    execFileSync("ln", ["-sfn", before, proc]);
    bench.shim("ping", `ln -sfn ${after} ${proc}; echo '5 packets transmitted, 5 received, 0% packet loss'`);
    const daemon = await printed(bench, { PROC_ROOT: proc });
    expect(sample).toMatchObject({
      cpuPct: daemon.cpu_pct,
      cpuStealPct: daemon.cpu_steal_pct,
      cpuIowaitPct: daemon.cpu_iowait_pct,
      load5: daemon.load5,
      memUsedMb: daemon.mem_used_mb,
      memTotalMb: daemon.mem_total_mb,
      swapUsedPct: daemon.swap_used_pct,
      netRetransmitPct: daemon.net_retransmit_pct,
      oomKills: daemon.oom_kills,
      netLossPct: null,
    });
  } finally {
    bench.remove();
  }
});

test("a second machine behind the same key is told to Prometheus, which drops it and goes on; so is a key that does not work", {
  tag: ["@one-engine", "@waits"],
}, async () => {
  test.setTimeout(5 * MINUTE);
  const { id, key } = await reportingServer();
  const [first, second] = [own(await startNodeExporter()), own(await startNodeExporter())];
  await prometheus("first", key, first.target);
  await expect.poll(() => samplesOf(id), LONG).not.toHaveLength(0);
  const refused = await prometheus("second", key, second.target);
  await expect.poll(refused.output, LONG).toContain(`This key already reports for`);
  expect(refused.output()).toContain("400 Bad Request");
  const count = (await samplesOf(id)).length;
  await expect.poll(async () => (await samplesOf(id)).length, LONG).toBeGreaterThan(count);
  const wrong = await prometheus("wrong", key.slice(0, -1), first.target);
  await expect.poll(wrong.output, LONG).toContain("Invalid or replaced server key.");
});

test("collectd with the configuration that the console shows fills what it can measure", {
  tag: ["@one-engine", "@waits"],
}, async () => {
  test.skip(!hasProgram("/usr/sbin/collectd", ["-h"]), "collectd is not installed");
  test.setTimeout(5 * MINUTE);
  const { id, key, token } = await reportingServer();
  const agent = own(startCollectd(test.info().outputPath("collectd"), sharedOrigin(), key));
  const whole = async () =>
    (await samplesOf(id)).filter(({ cpuPct, netRetransmitPct }) => cpuPct !== null && netRetransmitPct !== null);
  await expect.poll(whole, { ...LONG, message: agent.output() }).not.toHaveLength(0);
  const [sample] = await whole();
  const bench = new AgentBench();
  running.push({ stop: () => bench.remove() });
  bench.shim("ping", "echo '5 packets transmitted, 5 received, 0% packet loss'");
  const daemon = await printed(bench);
  expect(Math.abs(Number(sample?.memTotalMb) - Number(daemon.mem_total_mb))).toBeLessThan(1);
  expect(sample).toMatchObject({
    cpuStealPct: expect.any(Number),
    cpuIowaitPct: expect.any(Number),
    load5: expect.any(Number),
    memUsedMb: expect.any(Number),
    swapUsedPct: expect.any(Number),
    uptimeS: expect.any(Number),
    oomKills: null,
    failedUnits: null,
  });
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ online: true });
});
