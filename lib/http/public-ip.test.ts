import { expect, test } from "vitest";
import { isPublicIp } from "./public-ip";

// scripts/edge-program.test.ts has every range.
test.each([
  ["9.9.9.9", true],
  ["2a01:4f8::1", true],
  ["10.0.0.1", false],
  ["::ffff:10.0.0.1", false],
  ["", false],
  ["web-1", false],
])("whether %j is public: %s", (ip, expected) => {
  expect(isPublicIp(ip)).toBe(expected);
});
