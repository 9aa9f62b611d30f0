import { PROMETHEUS_SERIES } from "@/lib/servers/telemetry/agents/prometheus";

/** Stands in a configuration where the server's key belongs. */
export const KEY_PLACE = "SERVER_KEY";

/** What makes a program that somebody already runs report to the console. */
type AgentConfiguration = {
  name: string;
  /** Where the text belongs. */
  place: string;
  text: string;
  /** What to know about it, in a sentence or two. */
  note: string;
};

/** The configurations of stock agents for a console at this origin. */
export function agentConfigurations(origin: string): AgentConfiguration[] {
  const { hostname, port, protocol } = new URL(origin);
  return [
    {
      name: "Prometheus",
      place: "prometheus.yml, beside the node exporter",
      text: prometheus(origin),
      note: "Each machine needs its own server and key: the second rule keeps one instance. Packet loss is not reported; failed units only with the exporter's --collector.systemd.",
    },
    {
      name: "Telegraf",
      place: "telegraf.conf",
      text: telegraf(origin, hostname),
      note: "Keep all inputs at one interval: what is read together is one check-in. Failed units are not reported.",
    },
    {
      name: "Proxmox VE",
      place: "A shell of the node, as root",
      text: proxmox(hostname, port || (protocol === "https:" ? "443" : "80"), protocol.replace(":", "")),
      note: "For a node without a cluster: the nodes of a cluster share this setting, and a key is for one machine. Only the node itself is read, not its guests. Disks other than that of /, lost and retransmitted packets, killed processes and failed units are not reported.",
    },
    {
      name: "OpenTelemetry Collector",
      place: "config.yaml",
      text: collector(origin),
      note: "Lost and retransmitted packets, killed processes and failed units are not reported.",
    },
  ];
}

function prometheus(origin: string): string {
  return `global:
  scrape_interval: 30s
scrape_configs:
  - job_name: node
    static_configs:
      - targets: ["localhost:9100"]
remote_write:
  - url: ${origin}/ingest/prometheus/write
    authorization:
      credentials: ${KEY_PLACE}
    queue_config:
      # In order, also after an outage.
      max_shards: 1
      max_samples_per_send: 2000
      retry_on_http_429: true
    write_relabel_configs:
      - source_labels: [__name__]
        regex: ${PROMETHEUS_SERIES.join("|")}
        action: keep
      - source_labels: [instance]
        regex: localhost:9100
        action: keep
`;
}

function telegraf(origin: string, hostname: string): string {
  return `[agent]
  interval = "30s"
  flush_interval = "30s"
  metric_batch_size = 1000

[[outputs.influxdb_v2]]
  urls = ["${origin}/ingest/influx"]
  token = "${KEY_PLACE}"
  organization = "console"
  bucket = "console"

[[inputs.cpu]]
[[inputs.system]]
[[inputs.mem]]
[[inputs.zfs]]
[[inputs.swap]]
[[inputs.disk]]
  ignore_fs = ["tmpfs", "devtmpfs", "devfs", "iso9660", "overlay", "aufs", "squashfs"]
[[inputs.nstat]]
  dump_zeros = true
[[inputs.kernel_vmstat]]
[[inputs.ping]]
  urls = ["${hostname}"]
  count = 5
`;
}

function proxmox(hostname: string, port: string, protocol: string): string {
  return `pvesh create /cluster/metrics/server/console --type influxdb \\
  --server ${hostname} --port ${port} --influxdbproto ${protocol} \\
  --api-path-prefix ingest/influx --organization console --bucket console \\
  --max-body-size 250000 --token ${KEY_PLACE}
`;
}

function collector(origin: string): string {
  return `receivers:
  hostmetrics:
    collection_interval: 30s
    scrapers:
      cpu:
      load:
      memory:
        metrics:
          system.memory.limit: { enabled: true }
          system.linux.memory.available: { enabled: true }
      paging:
      filesystem:
      system:
processors:
  resourcedetection:
    detectors: [system]
  batch:
    send_batch_size: 2000
    send_batch_max_size: 2000
exporters:
  otlphttp/console:
    metrics_endpoint: ${origin}/ingest/otlp/v1/metrics
    headers:
      Authorization: Bearer ${KEY_PLACE}
service:
  pipelines:
    metrics:
      receivers: [hostmetrics]
      processors: [resourcedetection, batch]
      exporters: [otlphttp/console]
`;
}
