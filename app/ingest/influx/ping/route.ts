import { statusDoor } from "@/lib/ingest/door";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = statusDoor(204, null);
