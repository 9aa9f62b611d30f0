import { type Series, writeRequest } from "@/e2e/support/write-request";
import type { AgentProtocolName } from "@/lib/servers/telemetry/agents/state";
import { grown, hostMetrics, MEASURED, nodeExporterSeries, proxmoxLines, snappy, telegrafLines } from "./agent-bodies";

// Every endpoint where machines report their health, and who comes to it: what must hold for one is tested for all.

export type Body = string | Uint8Array<ArrayBuffer>;
/** `body`: what is sent of the moment `ms`, in epoch milliseconds, when the counters have grown so many times. */
export type Reporter = { path: string; body(ms: number, times: number, host?: string): Body };
/** `measured` is the sample of a report whose counters have grown once since the report before. */
export type Agent = Reporter & { measured: object };

export const CHECK_INS = "/ingest/v1/check-ins";

/** The paths of the endpoints of stock agents. */
export const AGENT_PATHS: Readonly<Record<AgentProtocolName, string>> = {
  prometheus: "/ingest/prometheus/write",
  influx: "/ingest/influx/api/v2/write",
  otlp: "/ingest/otlp/v1/metrics",
};

const JSON_TYPE = { "Content-Type": "application/json" };
const TYPES: Readonly<Record<string, Record<string, string>>> = {
  [CHECK_INS]: JSON_TYPE,
  [AGENT_PATHS.prometheus]: { "Content-Type": "application/x-protobuf", "Content-Encoding": "snappy" },
  [AGENT_PATHS.influx]: { "Content-Type": "text/plain; charset=utf-8" },
  [AGENT_PATHS.otlp]: JSON_TYPE,
};

/** The headers that tell an endpoint what a body is. */
export function typeOf(path: string): Record<string, string> {
  return TYPES[path.split("?")[0] ?? ""] ?? {};
}

export const plain = (bytes: Uint8Array) => new Uint8Array(bytes);
/** A remote write of these series. */
export const packed = (series: readonly Series[]) => plain(snappy(writeRequest(series)));

/** By path: whole bodies that tell nothing. */
export const EMPTY: Readonly<Record<string, Body>> = {
  [CHECK_INS]: "{}",
  [AGENT_PATHS.prometheus]: packed([]),
  [AGENT_PATHS.influx]: "",
  [AGENT_PATHS.otlp]: "{}",
};

/** Stock agents. Some share an endpoint. */
export const AGENTS: Readonly<Record<string, Agent>> = {
  Prometheus: {
    path: AGENT_PATHS.prometheus,
    body: (ms, times, host) => packed(nodeExporterSeries(ms, grown(times), host)),
    measured: { ...MEASURED, netLossPct: null },
  },
  Telegraf: {
    path: AGENT_PATHS.influx,
    body: (ms, times, host) => telegrafLines(ms, grown(times), host),
    measured: { ...MEASURED, netLossPct: 20, uptimeS: 5000 },
  },
  "Proxmox VE": {
    path: `${AGENT_PATHS.influx}?org=proxmox&bucket=proxmox`,
    body: (ms, times, host) => proxmoxLines(ms, grown(times), host),
    measured: { ...MEASURED, netLossPct: null, netRetransmitPct: null, oomKills: null, uptimeS: 5000 },
  },
  "the Collector": {
    path: AGENT_PATHS.otlp,
    body: (ms, times, host) => JSON.stringify(hostMetrics(ms, grown(times), host)),
    measured: { ...MEASURED, netLossPct: null, netRetransmitPct: null, oomKills: null, uptimeS: 5000 },
  },
};

/** Stock agents and our daemon. */
export const REPORTERS: Readonly<Record<string, Reporter>> = {
  "the daemon": {
    path: CHECK_INS,
    body: (ms, times) => JSON.stringify({ sampled_at: ms, cpu_pct: 5 + times, uptime_s: 5000 }),
  },
  ...AGENTS,
};
