import { deliverCheckIn } from "@/lib/ingest/check-ins";
import { door } from "@/lib/ingest/door";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = door("/ingest/v1/check-ins", deliverCheckIn);
