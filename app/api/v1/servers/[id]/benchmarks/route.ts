import { endpoint } from "@/lib/api/endpoint";
import { listBenchmarks } from "@/lib/servers/benchmarks";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint(
  "/api/v1/servers/:id/benchmarks",
  ({ account, params }) => listBenchmarks(account.id, params.id),
);
