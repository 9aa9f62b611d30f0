import { expect, test } from "vitest";
import { acceptsGzip } from "./accepts-gzip";

test.each([
  ["gzip", true],
  ["br, GZIP;q=0.5", true],
  ["*", true],
  ["br, *;q=0.1", true],
  ["gzip;q=1, *;q=0", true],
  [null, false],
  ["", false],
  ["identity", false],
  ["x-gzip-like", false],
  ["gzip;q=0", false],
  ["gzip ; q=0.000 , br", false],
  ["gzip;q=0, *", false],
  ["*;q=0", false],
])("Accept-Encoding: %s takes gzip: %s", (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
