import { expect, test } from "vitest";
import type { TokenRecord } from "@/lib/tokens/management";
import { applyView } from "./view";

const token = (name: string, data: Partial<TokenRecord> = {}) =>
  ({ name, hint: "0000", lastUsedIp: null, lastUsedAt: null, expiresAt: null, ...data }) as TokenRecord;

const TOKENS = [
  token("token 10", { expiresAt: new Date(2000) }),
  token("Token 9", { lastUsedAt: new Date(1000), lastUsedIp: "192.0.2.44" }),
  token("alpha", { hint: "aB1c", lastUsedAt: new Date(3000), expiresAt: new Date(1000) }),
];

test.each([
  ["created", ["token 10", "Token 9", "alpha"]],
  ["name", ["alpha", "Token 9", "token 10"]],
  ["used", ["alpha", "Token 9", "token 10"]],
  ["expires", ["alpha", "token 10", "Token 9"]],
] as const)("by %s", (sort, names) => {
  expect(applyView(TOKENS, { filter: "", sort }).map(({ name }) => name)).toEqual(names);
});

test.each([
  ["TOKEN", ["token 10", "Token 9"]],
  ["cpat_…ab1c", ["alpha"]],
  ["192.0.2", ["Token 9"]],
  ["nothing of the kind", []],
])("a filter finds names, last characters and ips: %s", (filter, names) => {
  expect(applyView(TOKENS, { filter, sort: "created" }).map(({ name }) => name)).toEqual(names);
});
