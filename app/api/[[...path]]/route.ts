import { unknownEndpoint } from "@/lib/api/endpoint";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = unknownEndpoint();
