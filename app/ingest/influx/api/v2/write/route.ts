import { influxFailure, receiveLines } from "@/lib/ingest/agents/protocols";
import { reportEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint(
  "/ingest/influx/api/v2/write",
  receiveLines,
  influxFailure,
);
