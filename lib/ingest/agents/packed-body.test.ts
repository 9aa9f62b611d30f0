import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { maxBytesOf, requirePacking, unpack } from "./packed-body";

const plainOrGzip = {
  types: [],
  packings: ["identity", "gzip"],
  wanted: "Send it plain or as gzip.",
  hint: "",
} as const;
const encoded = (name: string) => new Headers({ "Content-Encoding": name });

test.each([
  ["gzip, identity", "gzip, identity"],
  ["ZStd", "ZStd"],
  ["b\u00e9r", "b?r"],
  ["x".repeat(99), "x".repeat(32)],
  // Neither of the names that are taken.
  ["\u00e9gzip", "?gzip"],
])("a Content-Encoding that is not taken is named as it was sent: %s", (sent, named) => {
  const refused = `Send it plain or as gzip. Content-Encoding: ${named} is not taken.`;
  expect(() => requirePacking(encoded(sent), plainOrGzip)).toThrow(refused);
});

test.each(["gzip", "x-gzip", "X-GZip"])("%s is gzip", (name) => {
  requirePacking(encoded(name), plainOrGzip);
  expect(String(unpack(gzipSync("text"), encoded(name), ""))).toBe("text");
  expect(maxBytesOf(encoded(name))).toBe(256 * 1024);
});

test("an empty Content-Encoding is none", () => {
  requirePacking(encoded(""), plainOrGzip);
  expect(String(unpack(Buffer.from("text"), encoded(""), ""))).toBe("text");
  const snappy = { ...plainOrGzip, packings: ["snappy"], wanted: "Send snappy." } as const;
  expect(() => requirePacking(encoded(""), snappy)).toThrow("Send snappy. Content-Encoding: identity is not taken.");
});
