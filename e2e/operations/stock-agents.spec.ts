import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { AgentBench, SHELLS, type Shell } from "@/e2e/support/agent";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { atEnd, expect, own, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { type RunningAgent, startNodeExporter, startPrometheusAgent, startTarget } from "@/e2e/support/stock-agents";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { type Sample, type StoredSample, storedSampleOf } from "@/lib/servers/telemetry/measurements";

// Debian's own agents, with the configurations that the console shows.

needs("prometheus", "prometheus-node-exporter");

/** On a machine five times slower. */
const LONG = { intervals: [SECOND], ...SLOW };

type Sampled = Sample & { ts: number };

/** The newest sample in full. */
async function newestOf(id: number): Promise<Sampled[]> {
  const { sample, sampledAt } = await db.server.findUniqueOrThrow({ where: { id } });
  return sample && sampledAt ? [storedSampleOf(sample as StoredSample, sampledAt.getTime())] : [];
}

async function reportingServer() {
  const { id: accountId, token } = await newAccount();
  return { ...(await newReportingServer(accountId)), token };
}

const prometheus = (name: string, key: string, target: string): Promise<RunningAgent> =>
  own(startPrometheusAgent(test.info().outputPath(name), sharedOrigin(), key, target));

/** The daemon's one check-in as it would send it. */
async function printed(bench: AgentBench, variables: Record<string, string>, shell: Shell) {
  const { stdout } = await bench.run(shell, ["print", sharedOrigin()], "", variables);
  return JSON.parse(stdout) as Record<string, number>;
}

test("Prometheus with the node exporter and the daemon measure a recorded machine alike", {
  tag: "@waits",
}, async () => {
  needs("dash", "busybox", "curl");
  const { id, key } = await reportingServer();
  const [before, after] = ["before", "after"].map((name) => resolve("e2e/support/proc", name)) as [string, string];
  const exporters = [await own(startNodeExporter(before)), await own(startNodeExporter(after))] as const;
  let isAfter = false;
  const { target, close } = await startTarget(() => exporters[isAfter ? 1 : 0].target);
  atEnd(close);
  const agent = await prometheus("prometheus", key, target);
  await expect.poll(() => newestOf(id), { ...LONG, message: agent.output() }).not.toHaveLength(0);
  isAfter = true;
  let sample: Sampled | undefined;
  const hasMoved = async () => {
    [sample] = await newestOf(id);
    return sample !== undefined && sample.cpuPct !== null;
  };
  await expect.poll(hasMoved, LONG).toBe(true);

  const bench = new AgentBench();
  atEnd(() => bench.remove());
  const proc = join(bench.dir, "proc");
  bench.shim("ping", `ln -sfn ${after} ${proc}; echo '5 packets transmitted, 5 received, 0% packet loss'`);
  for (const shell of SHELLS) {
    execFileSync("ln", ["-sfn", before, proc]);
    const daemon = await printed(bench, { PROC_ROOT: proc }, shell);
    expect(sample, shell[0]).toMatchObject({
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
    // The exporter tells when the machine started, by its own clock.
    expect(daemon.uptime_s).toBe(3979.77);
  }
});
