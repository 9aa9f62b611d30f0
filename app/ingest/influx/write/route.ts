import { influxFailure, receiveLines } from "@/lib/ingest/agents/doors";
import { door } from "@/lib/ingest/door";

export const { POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS } = door(
  "/ingest/influx/write",
  receiveLines,
  influxFailure,
);
