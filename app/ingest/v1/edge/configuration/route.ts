import { fetchDoor } from "@/lib/ingest/door";
import { fetchConfiguration } from "@/lib/ingest/edge-configuration";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = fetchDoor(
  "/ingest/v1/edge/configuration",
  fetchConfiguration,
);
