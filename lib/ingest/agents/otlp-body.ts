import { ApiError } from "@/lib/api/api-error";
import { Problems } from "@/lib/ingest/body-bounds";
import { parseBoundedJson } from "@/lib/ingest/bounded-json";
import { isOtlpMetric, otlpKey } from "@/lib/servers/telemetry/agents/otlp";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

// ExportMetricsServiceRequest of OTLP as JSON. Senders may add fields, so unknown ones are skipped.

/** What the data points of a request tell. `problems` names the bad ones. */
export type Points = { hosts: Set<string>; readings: Reading[]; problems: readonly string[] };
type Growing = Pick<Points, "hosts" | "readings"> & { problems: Problems };

type Json = Readonly<Record<string, unknown>>;

const NS_PER_MS = 1e6;

/** The lists whose elements count as entries. */
const ENTRIES = new Set(["resourceMetrics", "scopeMetrics", "metrics", "dataPoints"]);

/** @throws ApiError 413 with too many entries, 400 with too many bad points and when the body is not such a request. */
export function readMetrics(bytes: Buffer): Points {
  const points: Growing = { hosts: new Set(), readings: [], problems: new Problems() };
  const request = parseBoundedJson(bytes, ENTRIES);
  if (!isObject(request) || !Array.isArray(request.resourceMetrics ?? [])) {
    throw new ApiError(400, "The body is not an ExportMetricsServiceRequest of OTLP.");
  }
  for (const resource of objects(request.resourceMetrics)) {
    const host = hostOf(isObject(resource.resource) ? attributesOf(resource.resource) : {});
    const metrics = objects(resource.scopeMetrics).flatMap(({ metrics }) => objects(metrics));
    for (const metric of metrics) addMetric(points, host, metric);
  }
  return { ...points, problems: points.problems.list };
}

function addMetric({ hosts, readings, problems }: Growing, host: string, metric: Json): void {
  const name = String(metric.name);
  if (!isOtlpMetric(name)) return;
  for (const kind of [metric.gauge, metric.sum]) {
    if (!isObject(kind)) continue;
    // Differences since the point before; counters are wanted as they stand.
    const isDelta =
      kind.aggregationTemporality === 1 || kind.aggregationTemporality === "AGGREGATION_TEMPORALITY_DELTA";
    for (const point of objects(kind.dataPoints)) {
      const key = otlpKey(name, attributesOf(point));
      if (key === null) continue;
      hosts.add(host);
      const [value, ts] = [numberOf(point), timeOf(point)];
      if (isDelta) problems.add(`${name}: differences cannot be used. Send it as a cumulative sum.`);
      else if (ts === null) problems.add(`${name}: a data point has no timeUnixNano.`);
      else if (value === null) problems.add(`${name}: a data point has neither asDouble nor asInt.`);
      else readings.push({ key, ts, value });
    }
  }
}

function hostOf(attributes: Record<string, string>): string {
  return attributes["host.name"] ?? attributes["host.id"] ?? "";
}

function numberOf({ asDouble, asInt }: Json): number | null {
  const number = asDouble ?? asInt;
  const value = typeof number === "string" && number !== "" ? Number(number) : number;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function timeOf({ timeUnixNano }: Json): number | null {
  const nanoseconds = typeof timeUnixNano === "string" && timeUnixNano !== "" ? Number(timeUnixNano) : timeUnixNano;
  const isTime = typeof nanoseconds === "number" && Number.isFinite(nanoseconds) && nanoseconds > 0;
  return isTime ? Math.floor(nanoseconds / NS_PER_MS) : null;
}

/** The attributes that are texts or numbers. */
function attributesOf({ attributes }: Json): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const { key, value } of objects(attributes)) {
    if (!isObject(value)) continue;
    const text = value.stringValue ?? value.intValue;
    if (typeof key === "string" && (typeof text === "string" || typeof text === "number")) texts[key] = String(text);
  }
  return texts;
}

function objects(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
