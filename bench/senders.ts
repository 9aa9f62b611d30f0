import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import {
  GROWTH,
  grown,
  hostMetrics,
  nodeExporterSeries,
  snappy,
  telegrafLines,
  valueLists,
} from "@/e2e/support/agent-bodies";
import { writeRequest } from "@/e2e/support/write-request";
import { PROMETHEUS_SERIES } from "@/lib/servers/telemetry/agents/prometheus";
import { checkInAt } from "./check-in";

/** Who reports, how, and what it sends of the moment `ms` when its counters have grown `times` times. */
export type Sender = {
  path: string;
  contentType: string;
  contentEncoding?: "snappy" | "gzip";
  status: number;
  body(ms: number, times: number): Buffer;
};

/** As many as the machine of the check-in has. */
const CORES = 8;
const HOST = "web-1";

export const DAEMON: Sender = {
  path: "/ingest/v1/check-ins",
  contentType: "application/json",
  status: 200,
  body: (ms) => Buffer.from(checkInAt(ms)),
};

/** Stock agents with the configurations that the console shows, one for each endpoint. */
export const AGENTS: Readonly<Record<string, Sender>> = {
  Prometheus: {
    path: "/ingest/prometheus/write",
    contentType: "application/x-protobuf",
    contentEncoding: "snappy",
    status: 204,
    body(ms, times) {
      const scraped = nodeExporterSeries(ms, grown(times), "localhost:9100", CORES);
      // The rest is dropped by the write_relabel_configs.
      return snappy(writeRequest(scraped.filter(({ labels }) => PROMETHEUS_SERIES.includes(labels.__name__ ?? ""))));
    },
  },
  Telegraf: {
    path: "/ingest/influx/api/v2/write",
    contentType: "text/plain; charset=utf-8",
    contentEncoding: "gzip",
    status: 204,
    body: (ms, times) => gzipSync(telegrafLines(ms, grown(times), HOST) + furtherLines(ms, times)),
  },
  "OpenTelemetry Collector": {
    path: "/ingest/otlp/v1/metrics",
    contentType: "application/json",
    contentEncoding: "gzip",
    status: 200,
    body: (ms, times) => gzipSync(JSON.stringify(hostMetrics(ms, grown(times), HOST, CORES))),
  },
  collectd: {
    path: "/ingest/collectd",
    contentType: "application/json",
    status: 204,
    body: (ms, times) => Buffer.from(JSON.stringify(valueLists(ms, grown(times), HOST, CORES))),
  },
};

/** What Telegraf's plugins send besides: each core, and every counter of the kernel's network and memory. */
function furtherLines(ms: number, times: number): string {
  const fields = (counters: Iterable<readonly [string, number]>) =>
    Array.from(counters, ([name, value]) => `${name}=${value + times}i`).join();
  const cores = Array.from(
    { length: CORES },
    (_, core) =>
      `cpu,cpu=cpu${core},host=${HOST} usage_user=25.1,usage_system=6.25,usage_idle=62.5,usage_nice=0,usage_iowait=6.25,usage_irq=0,usage_softirq=0,usage_steal=${GROWTH.steal},usage_guest=0,usage_guest_nice=0`,
  );
  const lines = [
    ...cores,
    ...["snmp", "netstat"].map((name) => `nstat,host=${HOST},name=${name} ${fields(namedCounters(name))}`),
    `nstat,host=${HOST},name=snmp6 ${fields(countersOf("net/snmp6"))}`,
    `kernel_vmstat,host=${HOST} ${fields(countersOf("vmstat"))}`,
  ];
  return lines.map((line) => `${line} ${ms}000000\n`).join("");
}

/** A file of a recorded machine with a name and a value on each line. */
function countersOf(file: string): [string, number][] {
  return linesOf(file).flatMap(([name = "", value]) =>
    name === "oom_kill" || value === undefined ? [] : [[name, Number(value)]],
  );
}

/** A file of a recorded machine with a line of names before each line of values. */
function namedCounters(file: string): [string, number][] {
  const lines = linesOf(`net/${file}`);
  return lines.flatMap(([group = "", ...names], index) => {
    const [, ...values] = lines[index + 1] ?? [];
    if (index % 2 === 1) return [];
    return names.map((name, place): [string, number] => [group.replace(":", name), Number(values[place])]);
  });
}

function linesOf(file: string): string[][] {
  const text = readFileSync(new URL(`../e2e/support/proc/after/${file}`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
}
