import { receiveBenchmark } from "@/lib/ingest/benchmarks";
import { door } from "@/lib/ingest/door";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = door("/ingest/v1/benchmarks/:key", receiveBenchmark);
