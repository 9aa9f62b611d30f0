import { expect, test } from "vitest";
import { varint } from "@/e2e/support/write-request";
import { readLines } from "./agents/line-protocol";
import { readMetrics } from "./agents/otlp-body";
import { readRemoteWrite } from "./agents/remote-write";
import { MAX_ENTRIES, MAX_PARTS, MAX_PROBLEMS } from "./body-bounds";
import { parseBoundedJson, requireBounded } from "./bounded-json";
import { parseEdgeReport } from "./edge-report-body";

/** The readers of the endpoints. */
const READERS = {
  Prometheus: readRemoteWrite,
  Influx: (bytes: Buffer) => readLines(bytes, 1, new Date()),
  OTLP: readMetrics,
  "an edge report": (bytes: Buffer) => parseEdgeReport(bytes, new Date()),
};
type Reader = keyof typeof READERS;

const list = (entry: string, count: number) => Array(count).fill(entry).join();
const bytes = (text: string) => Buffer.from(text);
const otlp = (metrics: string) => bytes(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[${metrics}]}]}]}`);

/** What a reader is told, in a body with so many entries. Some of them tell nothing: they count all the same. */
const ENTRIES: readonly (readonly [Reader, string, (count: number) => Buffer])[] = [
  ["Prometheus", "empty series", (count) => bytes("\n\0".repeat(count))],
  [
    "Prometheus",
    "empty samples of one series",
    (count) => Buffer.concat([bytes("\n"), varint(2 * (count - 1)), bytes("\x12\0".repeat(count - 1))]),
  ],
  ["Influx", "empty lines", (count) => bytes("\n".repeat(count))],
  ["Influx", "lines that tell nothing", (count) => bytes("x y=1\n".repeat(count))],
  ["Influx", "values of one line", (count) => bytes(`system,host=a ${list("load5=1", count)}`)],
  ["OTLP", "empty resources", (count) => bytes(`{"resourceMetrics":[${list("{}", count)}]}`)],
  ["OTLP", "resources that are nothing", (count) => bytes(`{"resourceMetrics":[${list("0", count)}]}`)],
  ["OTLP", "empty metrics", (count) => otlp(list("{}", count - 2))],
  [
    "OTLP",
    "empty points of a metric that tells nothing",
    (count) => otlp(`{"sum":{"dataPoints":[${list("{}", count - 3)}]}}`),
  ],
  // No reader could say which of the two names is meant.
  ["OTLP", "resources by an escaped name", (count) => bytes(`{"resource\\u004detrics":[${list("{}", count)}]}`)],
];

test.each(ENTRIES)("%s: ten thousand %s are read, and one more is 413", (reader, _, bodyOf) => {
  expect(() => READERS[reader](bodyOf(MAX_ENTRIES))).not.toThrow();
  const refused = { status: 413, message: expect.stringMatching(/^The body has more than 10000 entries\. /) };
  expect(() => READERS[reader](bodyOf(MAX_ENTRIES + 1))).toThrow(expect.objectContaining(refused));
});

/** Bodies that are refused for what their entries are, which is found out once they are counted. */
const COUNTED: readonly (readonly [Reader, string, (count: number) => Buffer])[] = [
  ["an edge report", "empty intervals", (count) => bytes(`{"intervals":[${list("{}", count)}]}`)],
  ["an edge report", "empty acknowledgements", (count) => bytes(`{"acknowledgements":[${list("{}", count)}]}`)],
];

test.each(COUNTED)("%s: more than ten thousand %s are 413, whatever is in them", (reader, _, bodyOf) => {
  expect(() => READERS[reader](bodyOf(MAX_ENTRIES))).toThrow(expect.objectContaining({ status: 400 }));
  expect(() => READERS[reader](bodyOf(MAX_ENTRIES + 1))).toThrow(expect.objectContaining({ status: 413 }));
});

test("fifty thousand JSON parts of any kind are read, one more is 413", () => {
  for (const bodyOf of [
    (count: number) => `[${list("0", count)}]`,
    // A member is its colon and its comma, an array or object its own.
    (count: number) => `{${list('"a":0', count / 2)}}`,
    (count: number) => `[${list("[]", count / 2)}]`,
  ]) {
    expect(parseBoundedJson(bytes(bodyOf(MAX_PARTS)))).toBeTruthy();
    const refused = { status: 413, message: expect.stringMatching(/^The body has more than 50000 parts\. /) };
    expect(() => parseBoundedJson(bytes(bodyOf(MAX_PARTS + 2)))).toThrow(expect.objectContaining(refused));
  }
});

test("text content counts as no level, entry or part, however escaped", () => {
  const text = `\\"${"[{,:".repeat(MAX_PARTS)}\\\\`;
  expect(() => requireBounded(bytes(`["${text}"]`))).not.toThrow();
  expect(() => requireBounded(bytes(`["${text}",${"[".repeat(32)}`))).toThrow(expect.objectContaining({ status: 400 }));
});

test("thirty-two levels of JSON are read, and one more is 400 at once", () => {
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const nested = (levels: number) => bytes(`${open.repeat(levels)}0${close.repeat(levels)}`);
    expect(parseBoundedJson(nested(32))).toBeTruthy();
    expect(() => parseBoundedJson(nested(33))).toThrow(
      expect.objectContaining({ status: 400, message: "The body is nested deeper than 32 levels." }),
    );
  }
});

const MS = Date.now();

test("OTLP: 512 cores of eight states are read in one body", () => {
  const attribute = (key: string) => `{"key":"${key}","value":{"stringValue":"x"}}`;
  const time = `"startTimeUnixNano":"${MS}000000","timeUnixNano":"${MS}000000"`;
  const one = `{"attributes":[${attribute("cpu")},${attribute("state")}],${time},"asDouble":1}`;
  const metric = `{"name":"system.cpu.time","sum":{"aggregationTemporality":2,"dataPoints":[${list(one, 512 * 8)}]}}`;
  expect(readMetrics(otlp(metric)).problems).toEqual([]);
});

/** Readings of bodies with so many bad entries before a good one. */
const BAD = {
  Influx: (count: number) => READERS.Influx(bytes(`${"system load5=\n".repeat(count)}system,host=a load5=1 ${MS}`)),
  OTLP: (count: number) => {
    const points = `${list('{"asDouble":1}', count)},{"asDouble":1,"timeUnixNano":"${MS}000000"}`;
    return readMetrics(otlp(`{"name":"system.uptime","gauge":{"dataPoints":[${points}]}}`));
  },
};

test.each(Object.entries(BAD))("%s: a hundred bad entries spare the good one, and one more is 400", (_, read) => {
  const { problems, readings } = read(MAX_PROBLEMS);
  expect(problems).toHaveLength(MAX_PROBLEMS);
  expect(readings).toHaveLength(1);
  try {
    read(MAX_PROBLEMS + 1);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ status: 400 });
    const { message } = error as Error;
    expect(message).toMatch(/^More than 100 entries are wrong, so nothing was stored\. /);
    expect(message.length).toBeLessThan(1200);
  }
});
