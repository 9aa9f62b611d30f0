import { ApiError } from "@/lib/api/api-error";
import { parseBoundedJson } from "@/lib/ingest/bounded-json";
import { addPoint, type Growing, hostOf, noPoints, type Points } from "./otlp-points";

// ExportMetricsServiceRequest of OTLP as JSON. Senders may add fields, so unknown ones are skipped.

type Json = Readonly<Record<string, unknown>>;

/** The lists whose elements count as entries. */
const ENTRIES = new Set(["resourceMetrics", "scopeMetrics", "metrics", "dataPoints"]);

/** A data point of two attributes is some twenty, and 512 cores have 4,096 points. */
const MAX_JSON_PARTS = 100_000;

/** @throws ApiError 413 with too many entries, 400 with too many bad points and when the body is not such a request. */
export function readMetrics(bytes: Buffer): Points {
  const points = noPoints();
  const request = parseBoundedJson(bytes, { lists: ENTRIES, maxParts: MAX_JSON_PARTS });
  if (!isObject(request) || !Array.isArray(request.resourceMetrics ?? [])) {
    throw new ApiError(400, "The body is not an ExportMetricsServiceRequest of OTLP.");
  }
  for (const resource of objects(request.resourceMetrics)) {
    const host = hostOf(isObject(resource.resource) ? attributesOf(resource.resource) : {});
    const metrics = objects(resource.scopeMetrics).flatMap(({ metrics }) => objects(metrics));
    for (const metric of metrics) addMetric(points, host, metric);
  }
  const { hosts, readings, problems } = points;
  return { hosts, readings, problems: problems.list };
}

function addMetric(points: Growing, host: string, metric: Json): void {
  for (const kind of [metric.gauge, metric.sum]) {
    if (!isObject(kind)) continue;
    // Differences since the point before; counters are wanted as they stand.
    const isDelta =
      kind.aggregationTemporality === 1 || kind.aggregationTemporality === "AGGREGATION_TEMPORALITY_DELTA";
    for (const point of objects(kind.dataPoints)) {
      addPoint(points, {
        host,
        name: String(metric.name),
        isDelta,
        attributes: attributesOf(point),
        start: timeOf(point.startTimeUnixNano),
        time: timeOf(point.timeUnixNano),
        value: numberOf(point),
      });
    }
  }
}

/** The flag of a point without a value. */
const NO_VALUE = 1;

/** NaN where there is no number. */
function numberOf({ asDouble, asInt, flags }: Json): number {
  const number = asDouble ?? asInt;
  if (Number(flags ?? 0) & NO_VALUE || number === "") return Number.NaN;
  return typeof number === "string" || typeof number === "number" ? Number(number) : Number.NaN;
}

/** Nanoseconds; 0 where there is no time. */
function timeOf(nanoseconds: unknown): number {
  const time = typeof nanoseconds === "string" || typeof nanoseconds === "number" ? Number(nanoseconds) : 0;
  return Number.isFinite(time) ? time : 0;
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
