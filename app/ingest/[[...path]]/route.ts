import { unknownDoor } from "@/lib/ingest/door";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = unknownDoor();
