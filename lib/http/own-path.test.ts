import { expect, test } from "vitest";
import { parseOwnPath } from "./own-path";

test.each([
  ["/", "/"],
  ["/dashboard/settings/api?revoke=7", "/dashboard/settings/api?revoke=7"],
  ["/a/../b#c", "/b"],
])("%j leads to %j", (text, path) => expect(parseOwnPath(text)).toBe(path));

test.each([
  null,
  undefined,
  "",
  "dashboard",
  "https://elsewhere.example",
  "//elsewhere.example",
  "/\\elsewhere.example",
  "/\t/elsewhere.example",
  "/.//elsewhere.example",
  "/a/..//elsewhere.example",
  "javascript:alert(1)",
  `/${"a".repeat(2000)}`,
])("%j leads nowhere", (text) => expect(parseOwnPath(text)).toBeNull());
