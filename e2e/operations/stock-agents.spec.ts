import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { AgentBench } from "@/e2e/support/agent";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, getData, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import {
  type RunningAgent,
  startLoad,
  startNodeExporter,
  startPrometheusAgent,
  startTarget,
} from "@/e2e/support/stock-agents";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { type Sample, type StoredSample, storedSampleOf } from "@/lib/servers/telemetry/measurements";

// Debian's own agents, with the configurations that the console shows.

needs("prometheus", "prometheus-node-exporter");

/** On a machine five times slower. */
const LONG = { intervals: [SECOND], ...SLOW };

const running: { stop(): unknown }[] = [];
function own<Started extends { stop(): unknown }>(started: Started): Started {
  running.push(started);
  return started;
}
test.afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

const samplesOf = (serverId: number) => db.telemetrySample.findMany({ where: { serverId }, orderBy: { at: "asc" } });
/** The newest sample in full. */
async function newestOf(id: number): Promise<Sampled[]> {
  const { sample, sampledAt } = await db.server.findUniqueOrThrow({ where: { id } });
  return sample && sampledAt ? [storedSampleOf(sample as StoredSample, sampledAt.getTime())] : [];
}

async function reportingServer() {
  const { id: accountId, token } = await newAccount();
  return { ...(await newReportingServer(accountId)), token };
}

const prometheus = (name: string, key: string, target: string): RunningAgent =>
  own(startPrometheusAgent(test.info().outputPath(name), sharedOrigin(), key, target));

/** The daemon's one check-in as it would send it. */
async function printed(bench: AgentBench, variables: Record<string, string> = {}) {
  const { stdout } = await bench.run(["dash"], ["print", sharedOrigin()], "", variables);
  return JSON.parse(stdout) as Record<string, number>;
}

test("Prometheus with the node exporter and the daemon measure a recorded machine alike", {
  tag: "@waits",
}, async () => {
  needs("dash", "curl");
  const { id, key } = await reportingServer();
  const [before, after] = ["before", "after"].map((name) => resolve("e2e/support/proc", name)) as [string, string];
  const exporters = [own(await startNodeExporter(before)), own(await startNodeExporter(after))] as const;
  let isAfter = false;
  const { target, close } = await startTarget(() => exporters[isAfter ? 1 : 0].target);
  running.push({ stop: close });
  const agent = prometheus("prometheus", key, target);
  await expect.poll(() => samplesOf(id), { ...LONG, message: agent.output() }).not.toHaveLength(0);
  isAfter = true;
  let sample: Sampled | undefined;
  const hasMoved = async () => {
    [sample] = await newestOf(id);
    return sample !== undefined && sample.cpuPct !== null;
  };
  await expect.poll(hasMoved, LONG).toBe(true);

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

test("Prometheus and the daemon nearly agree on this machine under load", {
  tag: "@waits",
}, async () => {
  needs("dash", "curl");
  const [scraped, measured] = [await reportingServer(), await reportingServer()];
  own(startLoad(availableParallelism()));
  const exporter = own(await startNodeExporter());
  const agent = prometheus("prometheus", scraped.key, exporter.target);
  const bench = new AgentBench();
  running.push({ stop: () => bench.remove() });
  bench.shim("ping", "sleep 1; echo '5 packets transmitted, 5 received, 0% packet loss'");
  const checkIn = async () => {
    const { code, stderr } = await bench.run(["dash"], ["once", sharedOrigin()], `${measured.key}\n`);
    expect([code, stderr]).toEqual([0, ""]);
  };
  /**
   * What differs by more than it may in every pair of samples that were read beside each other. Between two readings of
   * one moment, other programs may start or end.
   */
  const [ofPrometheus, ofDaemon]: [Sampled[], Sampled[]] = [[], []];
  const differences = async () => {
    // Of both, a sample is kept every ten seconds. At a steady pace their times could stay as far apart as they are.
    await wait(Math.random() * 5 * SECOND);
    await checkIn();
    ofPrometheus.push(...(await newestOf(scraped.id)));
    ofDaemon.push(...(await newestOf(measured.id)));
    const pairs = ofDaemon.flatMap((one) =>
      ofPrometheus.filter(({ ts }) => Math.abs(ts - one.ts) <= BESIDE).map((other) => [one, other] as const),
    );
    const [first, ...others] = pairs.map(([one, other]) => differing(one, other));
    if (!first) return ["no two samples beside each other", ...[ofPrometheus, ofDaemon].map(timesOf), agent.output()];
    return first.filter((name) => others.every((names) => names.includes(name)));
  };
  await expect.poll(differences, { intervals: [0], ...SLOW }).toEqual([]);
  // Nor are they equal because both are nothing.
  const [newest] = (await samplesOf(scraped.id)).reverse();
  expect(newest?.cpuPct).toBeGreaterThan(90);
  expect(newest?.netRetransmitPct).not.toBeNull();
  expect(await getData(`/api/v1/servers/${scraped.id}`, scraped.token)).toMatchObject({
    online: true,
    facts: {
      kernel: readFileSync("/proc/sys/kernel/osrelease", "utf8").trim(),
      cores: expect.any(Number),
      memory_mb: expect.any(Number),
    },
  });
});

const timesOf = (samples: Sampled[]) => samples.map(({ ts }) => new Date(ts).toISOString()).join(" ");

/** In milliseconds: the daemon takes a moment to start its tools, more of it on a busy machine. */
const BESIDE = 3 * SECOND;

type Sampled = Sample & { ts: number };

/** What differs by more than it may, between a sample of the daemon and one of Prometheus. */
function differing(one: Sampled, other: Sampled): string[] {
  const apart = {
    // Both are busy all the time.
    cpu_pct: differ(one.cpuPct, other.cpuPct, 1),
    mem_used_mb: differ(one.memUsedMb, other.memUsedMb, Number(one.memUsedMb) / 100),
    mem_total_mb: differ(one.memTotalMb, other.memTotalMb, 0.05),
    swap_used_pct: differ(one.swapUsedPct, other.swapUsedPct, 0.05),
    disk_used_pct: differ(one.diskUsedPct, other.diskUsedPct, 0.05),
    load5: differ(one.load5, other.load5, Number(one.load5) / 100 + 0.05),
    // The daemon tells its time in whole seconds.
    boot: differ(bootOf(one), bootOf(other), 2),
    oom_kills: other.oomKills === null,
  };
  return Object.entries(apart).flatMap(([name, isApart]) => (isApart ? [name] : []));
}

const differ = (one: number | null, other: number | null, by: number) =>
  one === null || other === null || Math.abs(one - other) > by;
const bootOf = ({ ts, uptimeS }: Sampled) => (uptimeS === null ? null : ts / SECOND - uptimeS);

test("Prometheus is told of a second machine behind one key and of wrong keys", {
  tag: "@waits",
}, async () => {
  const { id, key } = await reportingServer();
  const [first, second] = [own(await startNodeExporter()), own(await startNodeExporter())];
  prometheus("first", key, first.target);
  await expect.poll(() => samplesOf(id), LONG).not.toHaveLength(0);
  const refused = prometheus("second", key, second.target);
  await expect.poll(refused.output, LONG).toContain(`This key already reports for`);
  expect(refused.output()).toContain("400 Bad Request");
  const count = (await samplesOf(id)).length;
  await expect.poll(async () => (await samplesOf(id)).length, LONG).toBeGreaterThan(count);
  const wrong = prometheus("wrong", key.slice(0, -1), first.target);
  await expect.poll(wrong.output, LONG).toContain("Invalid or replaced server key.");
});

test("Prometheus resends whatever it was told to send later, without loss", {
  tag: "@waits",
}, async () => {
  const writes: { body: string; status: number }[] = [];
  const console = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const status = writes.length < 2 ? 429 : 204;
      writes.push({ body: Buffer.concat(parts).toString("base64"), status });
      response.writeHead(status, { "Retry-After": "1" }).end();
    });
  }).listen(0, "127.0.0.1");
  await once(console, "listening");
  running.push({
    stop() {
      console.closeAllConnections();
      console.close();
    },
  });
  const exporter = own(await startNodeExporter());
  const origin = `http://127.0.0.1:${(console.address() as AddressInfo).port}`;
  own(startPrometheusAgent(test.info().outputPath("prometheus"), origin, "csrv_none", exporter.target));
  await expect.poll(() => writes.map(({ status }) => status), LONG).toContain(204);
  const [first, ...others] = writes;
  expect(others.map(({ body }) => body)).toContain(first?.body);
  expect(writes.find(({ status }) => status === 204)?.body).toBe(first?.body);
});
