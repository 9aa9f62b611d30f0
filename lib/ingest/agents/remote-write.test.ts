import fc from "fast-check";
import { expect, test } from "vitest";
import { type Series, writeRequest } from "@/e2e/support/write-request";
import { ApiError } from "@/lib/api/api-error";
import { readRemoteWrite } from "./remote-write";

const NOW = 1_800_000_000_000;
const SERIES: readonly Series[] = [
  { __name__: "node_cpu_seconds_total", cpu: "1", mode: "iowait" },
  { __name__: "node_load5" },
  { __name__: "node_uname_info", release: "6.12.48" },
  { __name__: "node_os_info", pretty_name: "Debian GNU/Linux 13 (trixie)" },
  { __name__: "go_goroutines" },
].map((labels) => ({ labels: { instance: "localhost:9100", job: "node", ...labels }, samples: [[NOW, 50]] }));
const whole = writeRequest(SERIES);

test("a request is read to the last series, and a cut one is 400", () => {
  const { hosts, readings, descriptions } = readRemoteWrite(whole);
  expect([...hosts]).toEqual(["localhost:9100"]);
  expect(readings).toContainEqual({ key: "cpu|1|iowait", ts: NOW, value: 50 });
  expect(Object.keys(descriptions)).toEqual(["node_uname_info", "node_os_info"]);
  const ends = new Set<number>();
  for (let end = 0; end < whole.length; end++) {
    try {
      readRemoteWrite(whole.subarray(0, end));
      ends.add(end);
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
    }
  }
  // Nothing but the ends of its series is whole.
  expect(ends.size).toBe(SERIES.length);
});

test("extreme times are read as they are, and unknown fields are skipped", () => {
  const series = (ms: number) => [{ labels: { __name__: "node_load5", instance: "a" }, samples: [[ms, 1]] as const }];
  const timeOf = (ms: number) => readRemoteWrite(writeRequest(series(ms))).readings[0]?.ts;
  for (const ms of [0, 1, NOW, 2 ** 52]) expect(timeOf(ms)).toBe(ms);
  // Before 1970 the last digits are lost.
  for (const ms of [-1, -NOW, -(2 ** 63)]) expect(timeOf(ms)).toBeLessThanOrEqual(0);
  // A varint, eight bytes, four bytes and a text, each of a number that the message does not have.
  const unknown = Buffer.from([0x78, 0x85, 0x01, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4, 0x7a, 2, 0x68, 0x69]);
  const { readings } = readRemoteWrite(Buffer.concat([unknown, writeRequest(series(NOW)), unknown]));
  expect(readings).toEqual([{ key: "load5", ts: NOW, value: 1 }]);
  // A group, a field of the wrong type, a number without an end, and one that reaches beyond the body.
  for (const bytes of [[0x0b], [0x08, 1], [0x0a, ...Array(10).fill(0xff), 1], [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f]]) {
    expect(() => readRemoteWrite(Buffer.from(bytes)), bytes.join()).toThrow(ApiError);
  }
});

test("whatever the bytes are, they are read or refused", () => {
  const refuse = (bytes: Uint8Array) => {
    try {
      readRemoteWrite(Buffer.from(bytes));
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), refuse), { numRuns: 3000 });
  const changed = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(whole);
    bytes[at] = byte;
    return bytes;
  });
  fc.assert(fc.property(changed, refuse), { numRuns: 3000 });
});

test("remote write 2.0 is 415 with the setting's name, unless it holds 1.0 series", () => {
  const text = (field: number, ...bytes: number[]) => Buffer.from([field * 8 + 2, bytes.length, ...bytes]);
  const [symbols, series] = [text(4, 0x68, 0x69), text(5, 0x0a, 0x02, 1, 2)];
  for (const body of [Buffer.concat([symbols, series]), symbols, series, Buffer.concat([text(3, 1), series])]) {
    const refused = { status: 415, message: expect.stringContaining("protobuf_message: prometheus.WriteRequest") };
    expect(() => readRemoteWrite(body)).toThrow(expect.objectContaining(refused));
  }
  expect(readRemoteWrite(Buffer.concat([symbols, whole])).readings).not.toHaveLength(0);
  expect(readRemoteWrite(Buffer.alloc(0)).readings).toEqual([]);
});
