import { expect, test } from "vitest";
import { varint } from "@/e2e/support/write-request";
import { readProtobufMetrics } from "./otlp-protobuf";
import { readRemoteWrite } from "./remote-write";

const message = (content: Uint8Array) => Buffer.concat([varint(10), varint(content.length), content]);
const status = (body: Buffer) =>
  [readRemoteWrite, readProtobufMetrics].map((read) => {
    try {
      read(body, "");
      return 200;
    } catch (error) {
      return (error as { status?: number }).status;
    }
  });

test("unknown fields are skipped and counted: too many are 413, groups 400", () => {
  // Numbers of a field that neither has.
  const unknown = (times: number) => Buffer.alloc(2 * times, Buffer.from([0x78, 1]));
  for (const within of [(body: Buffer) => body, message, (body: Buffer) => message(message(body))]) {
    expect(status(within(unknown(100_000)))).toEqual([200, 200]);
    expect(status(within(unknown(400_000)))).toEqual([413, 413]);
    expect(status(within(Buffer.from([0x7b, 0x7c])))).toEqual([400, 400]);
  }
});

test("a message ending outside its parent and a field of wrong type are 400", () => {
  // Without these rules, all of it would be read as fields that are not known.
  const rest = [0x78, 1, 0x78, 1];
  expect(status(Buffer.from([0x0a, 2, 0x0a, 4, ...rest]))).toEqual([400, 400]);
  expect(status(Buffer.from([0x0a, 6, 0x0a, 4, ...rest]))).toEqual([200, 200]);
  expect(status(Buffer.from([0x08, 4, ...rest]))).toEqual([400, 400]);
  expect(status(Buffer.from([0x0a, 6, 0x08, 4, ...rest]))).toEqual([400, 400]);
});
