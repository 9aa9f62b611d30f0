import { SECOND } from "@/lib/format/time";
import { Problems } from "@/lib/ingest/body-bounds";
import { isOtlpMetric, otlpKey } from "@/lib/servers/telemetry/agents/otlp";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

/** What the data points of a request tell. `problems` names the bad ones. */
export type Points = { hosts: Set<string>; readings: Reading[]; problems: readonly string[] };
export type Growing = Pick<Points, "hosts" | "readings"> & {
  problems: Problems;
  /** The moments whose counters have said when they began. */
  begun: Set<number>;
};

/** A data point of a gauge or a sum. Times are in nanoseconds since 1970; 0 is none. `value`: NaN is none. */
type Point = {
  host: string;
  name: string;
  isDelta: boolean;
  attributes: Readonly<Record<string, string>>;
  start: number;
  time: number;
  value: number;
};

const NS_PER_MS = 1e6;

export const noPoints = (): Growing => ({ hosts: new Set(), readings: [], problems: new Problems(), begun: new Set() });

/** @throws ApiError 400 with too many bad points. */
export function addPoint(points: Growing, { host, name, isDelta, attributes, start, time, value }: Point): void {
  const { hosts, readings, problems, begun } = points;
  if (!isOtlpMetric(name)) return;
  const key = otlpKey(name, attributes);
  if (key === null) return;
  hosts.add(host);
  // A sender may say that there is no value.
  if (!Number.isFinite(value)) return;
  const ts = Math.floor(time / NS_PER_MS);
  if (isDelta) problems.add(`${name}: differences cannot be used. Send it as a cumulative sum.`);
  else if (!(ts > 0)) problems.add(`${name}: a data point has no timeUnixNano.`);
  else {
    readings.push({ key, ts, value });
    // All counters of the CPU begin together.
    if (!key.startsWith("cpu|") || start <= 0 || begun.has(ts)) return;
    begun.add(ts);
    readings.push({ key: "start", ts, value: Math.floor(start / NS_PER_MS / SECOND) });
  }
}

export function hostOf(attributes: Readonly<Record<string, string>>): string {
  return attributes["host.name"] ?? attributes["host.id"] ?? "";
}
