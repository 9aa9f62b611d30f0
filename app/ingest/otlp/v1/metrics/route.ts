import { otlpFailure } from "@/lib/ingest/agents/otlp-failure";
import { receiveMetrics } from "@/lib/ingest/agents/protocols";
import { reportEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint(
  "/ingest/otlp/v1/metrics",
  receiveMetrics,
  otlpFailure,
);
