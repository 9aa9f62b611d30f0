import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { AGENT_PATHS, AGENTS, type Body, packed, typeOf } from "./agent-protocols";
import { ask } from "./ask";
import { type Answer, bearer } from "./calls";
import type { Series } from "./write-request";

// What tests of the endpoints of daemons and stock agents send, and read afterwards, and what each answer must have.

export const { prometheus: PROMETHEUS, influx: INFLUX, otlp: OTLP } = AGENT_PATHS;
export const paths = Object.values(AGENT_PATHS);
export const agentAt = (path: string) => Object.values(AGENTS).find((agent) => agent.path === path);

export async function send(
  path: string,
  key: string | null,
  body: Body,
  headers: Record<string, string> = {},
  method = "POST",
): Promise<Answer> {
  const sent = { ...typeOf(path), ...bearer(key), ...headers };
  const answer = await ask(path, { method, headers: sent, body: method === "GET" ? null : body });
  const said = ["cache-control", "x-content-type-options", "access-control-allow-origin"].map((name) =>
    answer.headers.get(name),
  );
  const given = [...said, answer.headers.has("x-request-id")];
  const wanted = ["no-store", "nosniff", null, true];
  // Every `expect` costs the runner a scan of all earlier steps, and these tests would make thousands.
  if (!isDeepStrictEqual(given, wanted)) expect(given, answer.text).toEqual(wanted);
  return { ...answer, json: answer.text === "" ? undefined : JSON.parse(answer.text) };
}

export const writeSeries = (key: string, series: Series[]) => send(PROMETHEUS, key, packed(series));

export const samplesOf = (serverId: number) =>
  db.telemetrySample.findMany({ where: { serverId }, orderBy: { at: "asc" } });

/** A whole multiple of ten seconds, so that fifteen seconds later is another span. */
export const now = () => Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND;
