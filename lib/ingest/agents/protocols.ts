import { ApiError } from "@/lib/api/api-error";
import { SECOND } from "@/lib/format/time";
import { type Answer, type Failure, type FailureBody, json } from "@/lib/ingest/endpoint";
import { prometheusFacts } from "@/lib/servers/telemetry/agents/prometheus";
import { type AgentProtocol, deliverReadings, type ParsedBody } from "./deliver";
import { type Lines, readLines } from "./line-protocol";
import { readMetrics } from "./otlp-body";
import { isProtobuf, PROTOBUF } from "./otlp-failure";
import type { Points } from "./otlp-points";
import { protobufResponse, readProtobufMetrics } from "./otlp-protobuf";
import { REMOTE_WRITE, readRemoteWrite } from "./remote-write";

/** Agents that read their plugins one after the other give each reading a time of its own; five pings take four seconds. */
const SAME_INSTANT = 7.5 * SECOND;

const NO_CONTENT: Answer = { status: 204, body: null };
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)(?::\d+)?$/i;

const PROMETHEUS: AgentProtocol<ParsedBody> = {
  name: "prometheus",
  // All series of a scrape have its time.
  window: 0,
  known: "the node exporter",
  packed: {
    types: ["application/x-protobuf"],
    packings: ["snappy"],
    wanted: REMOTE_WRITE,
    hint: "Set a smaller max_samples_per_send in queue_config.",
  },
  read(bytes) {
    const { hosts, readings, descriptions } = readRemoteWrite(bytes, this.packed.hint);
    return { hosts, readings, problems: [], factsOf: (found) => prometheusFacts(descriptions, found) };
  },
  // A Prometheus may scrape another machine than its own.
  isOnMachine: (instance) => LOOPBACK.test(instance),
};

/** Remote write 1.0 of Prometheus. */
export async function receiveRemoteWrite(request: Request): Promise<Answer> {
  refuse((await deliverReadings(request, PROMETHEUS)).problems);
  return NO_CONTENT;
}

const MS_PER_UNIT = new Map([
  ["ns", 1e-6],
  ["n", 1e-6],
  ["us", 1e-3],
  ["u", 1e-3],
  ["ms", 1],
  ["s", SECOND],
]);

const INFLUX: AgentProtocol<Lines> = {
  name: "influx",
  window: SAME_INSTANT,
  known: "the inputs of Telegraf or Proxmox VE that are read here",
  packed: {
    // Telegraf calls it text/plain, Proxmox VE does not call it anything of use.
    types: [],
    packings: ["identity", "gzip"],
    wanted: "Send line protocol, as it is or with Content-Encoding: gzip.",
    hint: "Set a smaller metric_batch_size.",
  },
  read(bytes, request, arrivedAt) {
    const precision = new URL(request.url).searchParams.get("precision") ?? "ns";
    const msPerUnit = MS_PER_UNIT.get(precision);
    if (msPerUnit === undefined)
      throw new ApiError(400, `precision: must be one of ${[...MS_PER_UNIT.keys()].join(", ")}.`);
    return readLines(bytes, msPerUnit, arrivedAt, this.packed.hint);
  },
};

/** InfluxDB's line protocol, of Telegraf and Proxmox VE. Of bad lines up to 100 are told; the others are stored. */
export async function receiveLines(request: Request): Promise<Answer> {
  refuse((await deliverReadings(request, INFLUX)).problems);
  return NO_CONTENT;
}

const OTLP: AgentProtocol<Points> = {
  name: "otlp",
  window: SAME_INSTANT,
  known: "the Collector's hostmetrics receiver",
  packed: {
    types: [PROTOBUF, "application/json"],
    packings: ["identity", "gzip"],
    wanted: "Send OTLP as application/x-protobuf or application/json, as it is or with Content-Encoding: gzip.",
    hint: "Set a smaller send_batch_max_size.",
  },
  read(bytes, { headers }) {
    return isProtobuf(headers.get("content-type")) ? readProtobufMetrics(bytes, this.packed.hint) : readMetrics(bytes);
  },
};

/** OTLP/HTTP of an OpenTelemetry Collector. What cannot be used is counted in a partial success, as OTLP specifies. */
export async function receiveMetrics(request: Request): Promise<Answer> {
  const { body, problems, ahead } = await deliverReadings(request, OTLP);
  const rejectedDataPoints = body.problems.length + ahead;
  if (isProtobuf(request.headers.get("content-type"))) {
    return { status: 200, body: protobufResponse(rejectedDataPoints, problems.join(" ")), type: PROTOBUF };
  }
  if (rejectedDataPoints === 0) return json({});
  // An int64, which JSON of Protocol Buffers writes as a text.
  return json({
    partialSuccess: { rejectedDataPoints: String(rejectedDataPoints), errorMessage: problems.join(" ") },
  });
}

const INFLUX_CODES: Readonly<Record<number, string>> = {
  400: "invalid",
  401: "unauthorized",
  413: "request too large",
  429: "too many requests",
  503: "unavailable",
};

/** Where agents of InfluxDB look for the reason of a failure. */
export function influxFailure({ status, message }: Failure): FailureBody {
  return { code: INFLUX_CODES[status] ?? "invalid", message };
}

/** @throws ApiError 400 with what was wrong, after the rest is stored. */
function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ApiError(400, problems.join(" "));
}
