import { expect } from "vitest";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { AGENT_PATHS, AGENTS, type Body, packed, typeOf } from "./agent-protocols";
import { answer } from "./ask";
import type { Series } from "./write-request";

// What tests of the endpoints of stock agents send, and read afterwards.

export const { prometheus: PROMETHEUS, influx: INFLUX, otlp: OTLP } = AGENT_PATHS;
export const paths = Object.values(AGENT_PATHS);
export const agentAt = (path: string) => Object.values(AGENTS).find((agent) => agent.path === path);

export type Sent = { status: number; text: string; json: unknown; headers: Headers };

export async function send(
  path: string,
  key: string | null,
  body: Body,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const response = await answer(path, {
    method: "POST",
    headers: {
      ...typeOf(path),
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
  });
  const text = await response.text();
  expect([response.headers.get("cache-control"), response.headers.has("x-request-id")]).toEqual(["no-store", true]);
  return { status: response.status, text, json: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

export const writeSeries = (key: string, series: Series[]) => send(PROMETHEUS, key, packed(series));

export const samplesOf = (serverId: number) =>
  db.telemetrySample.findMany({ where: { serverId }, orderBy: { at: "asc" } });

/** A whole multiple of ten seconds, so that fifteen seconds later is another span. */
export const now = () => Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND;
