import { plainTextEndpoint } from "@/lib/api/endpoint";
import { PROMETHEUS_TYPE, writePrometheus } from "@/lib/api/prometheus";
import { listServiceReadings } from "@/lib/game-services/readings";
import { listServerReadings } from "@/lib/servers/servers";

export const dynamic = "force-dynamic";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = plainTextEndpoint(
  "/metrics",
  PROMETHEUS_TYPE,
  async (account) => {
    const [servers, services] = await Promise.all([listServerReadings(account.id), listServiceReadings(account.id)]);
    return writePrometheus(servers, services);
  },
);
