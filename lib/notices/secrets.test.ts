import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { keyId, open, SealedTextError, seal } from "./secrets";

const [key, newer, stranger] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const URL = "https://discord.com/api/webhooks/1/secret";

test("a sealed text reveals nothing, differs each time and opens for its account alone", () => {
  const sealed = seal(URL, 7, [key]);
  expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
  expect(Buffer.from(sealed.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain("secret");
  expect(seal(URL, 7, [key])).not.toBe(sealed);
  expect(open(sealed, 7, [key])).toBe(URL);
  expect(() => open(sealed, 8, [key])).toThrow(SealedTextError);
  expect(() => open(sealed, 7, [stranger])).toThrow("NOTICE_KEY has no key with the id");
  expect(() => open(sealed, 7, [])).toThrow(SealedTextError);
  expect(() => seal(URL, 7, [])).toThrow("NOTICE_KEY is not set.");
});

test("during a replacement the new key seals, both open and old seals are recognised", () => {
  const old = seal(URL, 7, [key]);
  expect(open(old, 7, [newer, key])).toBe(URL);
  expect(old.split(".")[1]).toBe(keyId(key));
  const again = seal(open(old, 7, [newer, key]), 7, [newer, key]);
  expect(again.split(".")[1]).toBe(keyId(newer));
  expect(open(again, 7, [newer])).toBe(URL);
});

test("a changed byte, wherever it stands, opens nothing", () => {
  const parts = seal(URL, 7, [key]).split(".");
  for (const at of [2, 3]) {
    const bytes = Buffer.from(parts[at] ?? "", "base64url");
    for (let i = 0; i < bytes.length; i++) {
      const bent = Buffer.from(bytes);
      bent[i] = (bent[i] ?? 0) ^ 1;
      const text = parts.with(at, bent.toString("base64url")).join(".");
      expect(() => open(text, 7, [key])).toThrow(SealedTextError);
    }
  }
  for (const text of ["", "v1", "v1...", parts.slice(0, 3).join("."), `v2.${parts.slice(1).join(".")}`]) {
    expect(() => open(text, 7, [key])).toThrow(SealedTextError);
  }
});
