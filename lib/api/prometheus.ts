import { SECOND } from "@/lib/format/time";
import { MEANINGS } from "@/lib/game-services/counters";
import type { ServiceReading } from "@/lib/game-services/readings";
import { mapInTurns } from "@/lib/process/turns";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import type { ServerReading } from "@/lib/servers/servers";
import { publishedRows } from "@/lib/servers/telemetry/measurements";
import { CHECK_IN_SECONDS, gameService, INTERVAL_SECONDS } from "./schemas";

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const [{ from: WELL }, { from: STRAINED }] = HEALTH_LEVELS;

type Labels = Record<string, string | number>;
type Sample = [labels: Labels, value: number];
/** Writes one metric, of all servers or services. */
type WriteMetric = () => string;

/**
 * Writes the whole account in the text format of Prometheus, version 0.0.4, in base units. A metric without samples is
 * left out. Measurements have ids alone as labels, so that a renamed server keeps its series; `_info` has the names.
 */
export async function writePrometheus(
  servers: readonly ServerReading[],
  services: readonly ServiceReading[],
): Promise<string> {
  const metrics = [...serverMetrics(servers), ...serviceMetrics(services)];
  return (await mapInTurns(metrics, (write) => write())).join("");
}

function serverMetrics(servers: readonly ServerReading[]): WriteMetric[] {
  const metric = metricsOf("console_server", "server_id", servers);
  return [
    metric(
      "info",
      "Always 1; the names of the server are labels, its tags with a comma around each, and whether it has ever checked in.",
      ({ label, hostname, public_ip, need, tags }) => [
        [
          {
            ...{ label, hostname, public_ip: public_ip ?? "", checked_in: String(need !== "never") },
            ...(tags.length > 0 && { tags: `,${tags.join()},` }),
          },
          1,
        ],
      ],
    ),
    metric("score", "Health score, 0 to 1000, higher is healthier; computed as it is read.", ({ score }) => [
      [{}, score],
    ]),
    metric("score_component", "Component of the health score, 0 to 1000.", ({ score_components }) =>
      Object.entries(score_components).map(([component, points]): Sample => [{ component }, points]),
    ),
    metric(
      "online",
      `Whether the daemon, which checks in every ${CHECK_IN_SECONDS} seconds, did so within two minutes.`,
      ({ online }) => [[{}, Number(online)]],
    ),
    metric(
      "needs_attention",
      `Whether a server that is online needs attention: a score under ${WELL}, a component under ${STRAINED}, or an outage or a restart in the last 24 hours.`,
      ({ need }) => [[{}, Number(need === "attention")]],
    ),
    metric("last_seen_timestamp_seconds", "When the daemon last checked in.", ({ last_seen }) => [
      [{}, last_seen / SECOND],
    ]),
    metric("sample_timestamp_seconds", "When the latest sample was measured.", ({ latest_sample }) =>
      samplesOf(latest_sample?.ts, (ts) => ts / SECOND),
    ),
    ...publishedRows.map(({ name, unit, description, metric: metricName }) =>
      metric(metricName, `${description} in the latest sample${unit.baseWorded}.`, ({ latest_sample }) =>
        samplesOf(latest_sample?.[name], unit.toBase),
      ),
    ),
  ];
}

function serviceMetrics(services: readonly ServiceReading[]): WriteMetric[] {
  const metric = metricsOf("console_game_service", "service_id", services);
  type Interval = ServiceReading["intervals"][number];
  const ofInterval = (name: string, help: string, value: (interval: Interval) => number | null) =>
    metric(
      `interval_${name}`,
      `${help}, in the newest interval of the node; an interval lasts ${INTERVAL_SECONDS} seconds.`,
      ({ intervals }) =>
        intervals.flatMap((interval) =>
          samplesOf(value(interval)).map(([, v]): Sample => [{ node_id: interval.node_id }, v]),
        ),
    );
  return [
    metric("info", "Always 1; the names of the service are labels.", ({ name, java_hostname }) => [
      [{ name, java_hostname }, 1],
    ]),
    metric("status", "1 for the state that the service is in, 0 for the others.", (service) =>
      gameService.shape.status.options.map((status): Sample => [{ status }, Number(service.status === status)]),
    ),
    metric("config_version", "Version of the configuration.", ({ config_version }) => [[{}, config_version]]),
    ofInterval("start_timestamp_seconds", "Beginning", ({ ts }) => ts / SECOND),
    ofInterval("packets", MEANINGS.packets, ({ packets }) => packets),
    ofInterval("bytes", MEANINGS.bytes, ({ bytes }) => bytes),
    ofInterval("dropped_packets", MEANINGS.dropped, ({ dropped }) => dropped),
    ofInterval("connections", MEANINGS.connections, ({ connections }) => connections),
    ofInterval("latency_seconds", MEANINGS.latency, ({ latency_ms }) =>
      latency_ms === null ? null : latency_ms / SECOND,
    ),
  ];
}

/** One sample, or none when the value was not measured. */
function samplesOf(value: number | null | undefined, convert = (measured: number) => measured): Sample[] {
  return value === null || value === undefined ? [] : [[{}, convert(value)]];
}

/** All are gauges, because the counts of an interval begin anew with the next one. */
function metricsOf<Item extends { id: number }>(prefix: string, idLabel: string, items: readonly Item[]) {
  return (suffix: string, help: string, valuesOf: (item: Item) => Sample[]): WriteMetric => {
    const name = `${prefix}_${suffix}`;
    return () => {
      let lines = "";
      for (const item of items) {
        for (const [labels, value] of valuesOf(item)) {
          lines += `${name}{${idLabel}="${item.id}"${writeLabels(labels)}} ${value}\n`;
        }
      }
      return lines === "" ? "" : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines}`;
    };
  };
}

function writeLabels(labels: Labels): string {
  let text = "";
  for (const name in labels) {
    const value = labels[name] ?? "";
    text += `,${name}="${typeof value === "number" ? value : escapeLabel(value)}"`;
  }
  return text;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
