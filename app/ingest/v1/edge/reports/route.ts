import { door } from "@/lib/ingest/door";
import { deliverEdgeReport } from "@/lib/ingest/edge-reports";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = door("/ingest/v1/edge/reports", deliverEdgeReport);
