import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { containsToken, hashToken, isWellFormedToken, mintToken, tokenHint } from "./format";

const minted = Array.from({ length: 10_000 }, () => mintToken());

test("10,000 tokens have the published shape, a fitting checksum, and no duplicate", () => {
  for (const token of minted) {
    expect(token).toMatch(/^cpat_[0-9A-Za-z]{36}$/);
    expect(isWellFormedToken(token)).toBe(true);
  }
  expect(new Set(minted).size).toBe(10_000);
});

test("the checksum is the published one: base62 of the CRC-32, zero-padded", () => {
  expect(isWellFormedToken("cpat_qkJaB6MffYVzZXWqmcoF49yrUxP3wf0LsakP")).toBe(true);
  expect(isWellFormedToken("cpat_qkJaB6MffYVzZXWqmcoF49yrUxP3wf0LsakQ")).toBe(false);
});

test("server keys and benchmark keys have prefixes that pass for no other kind", () => {
  const kinds = { token: /^cpat_\w{36}$/, serverKey: /^csrv_\w{36}$/, benchmarkKey: /^cbench_\w{36}$/ } as const;
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    const raw = mintToken(kind);
    expect(raw).toMatch(kinds[kind]);
    for (const other of Object.keys(kinds) as (keyof typeof kinds)[]) {
      expect(isWellFormedToken(raw, other)).toBe(other === kind);
    }
    expect(containsToken(`see ${raw.slice(0, 20)}`)).toBe(true);
  }
});

test("every character of the alphabet is equally likely (chi-square, p > 0.0001)", () => {
  const counts = new Map<string, number>();
  for (const token of minted) {
    for (const character of token.slice(5, 35)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const expected = 300_000 / 62;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(62);
  // The 0.9999 quantile for 61 degrees of freedom.
  expect(chiSquare).toBeLessThan(110.7);
});

test("any single changed character, a cut, or an addition is noticed", () => {
  const [token = ""] = minted;
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === "x" ? "y" : "x") + token.slice(at + 1);
    expect(isWellFormedToken(changed), changed).toBe(false);
  }
  for (const text of ["", token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`, token + token]) {
    expect(isWellFormedToken(text)).toBe(false);
  }
});

test("the hash is the token's hex SHA-256, and the hint its last four characters", () => {
  const [token = ""] = minted;
  expect(hashToken(token)).toBe(createHash("sha256").update(token).digest("hex"));
  expect(tokenHint("cpat_qkJaB6MffYVzZXWqmcoF49yrUxP3wf0LsakP")).toBe("sakP");
});

test("a token is recognised in any pasted text, but an innocent name is not", () => {
  const [token = ""] = minted;
  for (const text of [token, `my ${token}`, token.slice(0, 20)]) expect(containsToken(text)).toBe(true);
  for (const text of ["", "cpat_", "cpat_ci", "nightly report"]) expect(containsToken(text)).toBe(false);
});
