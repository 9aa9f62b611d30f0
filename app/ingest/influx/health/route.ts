import { json, statusEndpoint } from "@/lib/ingest/endpoint";

// As InfluxDB says it; Proxmox VE asks before it takes a configuration.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = statusEndpoint(
  json({ name: "console", status: "pass", message: "ready for writes" }),
);
