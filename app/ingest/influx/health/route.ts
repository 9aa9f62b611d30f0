import { statusDoor } from "@/lib/ingest/door";

// As InfluxDB says it; Proxmox VE asks before it takes a configuration.
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = statusDoor(200, {
  name: "console",
  status: "pass",
  message: "ready for writes",
});
