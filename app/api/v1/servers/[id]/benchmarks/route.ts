import { endpoint } from "@/lib/api/endpoint";
import type { BenchmarkRuns } from "@/lib/api/schemas";
import { listBenchmarks } from "@/lib/servers/benchmarks";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint<BenchmarkRuns, { id: string }>(
  ({ account, params }) => listBenchmarks(account.id, params.id),
);
