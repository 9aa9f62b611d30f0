import { statusEndpoint } from "@/lib/ingest/endpoint";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = statusEndpoint({ status: 204, body: null });
