import { ApiError } from "@/lib/api/api-error";
import { SECOND } from "@/lib/format/time";
import { Problems } from "@/lib/ingest/body-bounds";
import { parseBoundedJson } from "@/lib/ingest/bounded-json";
import { collectdReading } from "@/lib/servers/telemetry/agents/collectd";
import type { Reading } from "@/lib/servers/telemetry/agents/readings";

/** What the value lists of a body tell. `hosts` are those of the lists that tell something; `problems` name the bad lists. */
export type ValueLists = { hosts: Set<string>; readings: Reading[]; problems: readonly string[] };

type Json = Readonly<Record<string, unknown>>;

/** The body itself, and the values of each list. */
const ENTRIES = new Set(["", "values"]);

/**
 * Reads what collectd's write_http sends as JSON. A bad list does not affect the others.
 * @throws ApiError 413 with too many lists and values, 400 with too many bad lists and when the body is no array.
 */
export function readValueLists(bytes: Buffer): ValueLists {
  const lists: Pick<ValueLists, "hosts" | "readings"> = { hosts: new Set(), readings: [] };
  const problems = new Problems();
  const body = parseBoundedJson(bytes, ENTRIES);
  if (!Array.isArray(body)) throw new ApiError(400, "The body must be a JSON array of value lists.");
  for (const [index, list] of body.entries()) {
    const problem = addList(lists, list);
    if (problem !== null) problems.add(`${index}: ${problem}`);
  }
  return { ...lists, problems: problems.list };
}

/** What is wrong with a list; null when nothing is. */
function addList({ hosts, readings }: Pick<ValueLists, "hosts" | "readings">, list: unknown): string | null {
  if (typeof list !== "object" || list === null) return "is not an object.";
  const { values, dsnames, time, host, plugin, plugin_instance, type, type_instance } = list as Json;
  if (!Array.isArray(values)) return "values: is not an array.";
  if (!Array.isArray(dsnames) || dsnames.length !== values.length) return "dsnames: does not name each of the values.";
  if (typeof time !== "number" || !Number.isFinite(time)) return "time: is not a number.";
  if (typeof host !== "string") return "host: is not a text.";
  for (const [index, value] of values.entries()) {
    const named = collectdReading({
      plugin: String(plugin),
      type: String(type),
      pluginInstance: textOf(plugin_instance),
      typeInstance: textOf(type_instance),
      source: String(dsnames[index]),
    });
    if (named === null) continue;
    // collectd writes a value that it could not read as null.
    if (value !== null && typeof value !== "number") return `values.${index}: is not a number.`;
    hosts.add(host);
    if (value !== null) readings.push({ key: named.key, ts: Math.floor(time * SECOND), value: value * named.factor });
  }
  return null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
