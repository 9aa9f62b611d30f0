import { fetchConfiguration } from "@/lib/ingest/edge-configuration";
import { fetchEndpoint } from "@/lib/ingest/endpoint";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = fetchEndpoint(
  "/ingest/v1/edge/configuration",
  fetchConfiguration,
);
