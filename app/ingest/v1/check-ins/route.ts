import { deliverCheckIn } from "@/lib/ingest/check-ins";
import { reportEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint("/ingest/v1/check-ins", deliverCheckIn);
