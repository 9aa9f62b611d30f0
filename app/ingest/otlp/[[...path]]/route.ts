import { otlpFailure } from "@/lib/ingest/agents/protocols";
import { unknownEndpoint } from "@/lib/ingest/endpoint";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = unknownEndpoint(otlpFailure);
