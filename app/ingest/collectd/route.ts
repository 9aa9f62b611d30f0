import { withdrawnEndpoint } from "@/lib/ingest/endpoint";

/** Where collectd reported. */
export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = withdrawnEndpoint(
  "collectd is no longer taken: let agent.sh, Telegraf or an OpenTelemetry Collector report with the same key.",
);
