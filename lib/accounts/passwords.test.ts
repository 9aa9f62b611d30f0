import { scryptSync } from "node:crypto";
import { gzip } from "node:zlib";
import { expect, test } from "vitest";
import { generatePassword, hashPassword, MAX_PASSWORD_LENGTH, verifyPassword } from "./passwords";

const verify = (password: string, stored: string | null) => verifyPassword(password, stored, false);

/** A hash at the least cost, which `verifyPassword` reads from it: a real one takes a fifth of a second of a core. */
function cheapHash(password: string): string {
  const hash = scryptSync(password, Buffer.from("AAAA", "base64"), 32, { N: 2, r: 1, p: 1 });
  return `scrypt$2$1$1$AAAA$${hash.toString("base64")}`;
}

test("a password fits its own hash and nothing else does, whatever its characters", async () => {
  for (const password of ["correct horse battery", "пароль-🔑-密码", "x".repeat(500)]) {
    const stored = cheapHash(password);
    expect(await verify(password, stored)).toBe(true);
    expect(await verify(`${password} `, stored)).toBe(false);
  }
});

test("composed and decomposed accents are the same password", async () => {
  expect(await verify("cafe\u0301 au lait", cheapHash("caf\u00e9 au lait"))).toBe(true);
});

test("the same password is hashed differently each time, with scrypt at N=2^15, r=8, p=3", async () => {
  const [first, second] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  expect(first).not.toBe(second);
  expect([await verify("correct horse", first), await verify("correct horsf", first)]).toEqual([true, false]);
  expect(first).toMatch(/^scrypt\$32768\$8\$3\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/);
});

test("no account, no password, or a broken hash is false and not an error", async () => {
  for (const stored of [null, "", "plain", "scrypt$1$2"]) expect(await verify("x", stored)).toBe(false);
});

test("generated passwords are long, readable and different", () => {
  const passwords = Array.from({ length: 100 }, generatePassword);
  for (const password of passwords) expect(password).toMatch(/^([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/);
  expect(new Set(passwords).size).toBe(100);
});

test("a password of a million accents is wrong before anything reads it", async () => {
  const stored = cheapHash("x".repeat(MAX_PASSWORD_LENGTH));
  expect(await verify("x".repeat(MAX_PASSWORD_LENGTH), stored)).toBe(true);
  expect(await verify("x".repeat(MAX_PASSWORD_LENGTH + 1), stored)).toBe(false);
  expect(await verify(`${"a\u0327\u0301".repeat(1_000_000)}`, stored)).toBe(false);
  // The code hashes an empty text in place of a password that is too long. That text must not match either.
  expect(await verify("x".repeat(MAX_PASSWORD_LENGTH + 1), cheapHash(""))).toBe(false);
});

test("a crowd of sign-ins leaves threads for files, DNS and compression", async () => {
  const done: string[] = [];
  const hashes = Array.from({ length: 6 }, () => hashPassword("correct horse").then(() => done.push("hash")));
  await new Promise((resolve) => gzip("text", resolve));
  done.push("gzip");
  await Promise.all(hashes);
  expect(done).toEqual(["gzip", ...Array(6).fill("hash")]);
});
