import { expect, test } from "vitest";
import { isLongFor, noteLength } from "./long-answers";

test("an account's last answer from an endpoint tells whether the next is long", () => {
  noteLength("/api/v1/servers", 1, 16 * 1024 + 1);
  expect(isLongFor("/api/v1/servers", 1)).toBe(true);
  expect(isLongFor("/api/v1/servers", 2)).toBe(false);
  expect(isLongFor("/metrics", 1)).toBe(false);
  noteLength("/api/v1/servers", 1, 16 * 1024);
  expect(isLongFor("/api/v1/servers", 1)).toBe(false);
});

test("no more than the latest twenty thousand are kept", () => {
  for (let account = 0; account <= 20_000; account++) noteLength("/api/v1/servers", account, 100_000);
  expect(isLongFor("/api/v1/servers", 0)).toBe(false);
  expect(isLongFor("/api/v1/servers", 1)).toBe(true);
  expect(isLongFor("/api/v1/servers", 20_000)).toBe(true);
});
