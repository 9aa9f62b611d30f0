import { receiveBenchmark } from "@/lib/ingest/benchmarks";
import { reportEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint(
  "/ingest/v1/benchmarks/:key",
  receiveBenchmark,
);
