import { otlpFailure } from "@/lib/ingest/agents/otlp-failure";
import { unknownEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = unknownEndpoint(otlpFailure);
