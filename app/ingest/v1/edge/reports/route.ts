import { deliverEdgeReport } from "@/lib/ingest/edge-reports";
import { reportEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint(
  "/ingest/v1/edge/reports",
  deliverEdgeReport,
);
