import { expect, test } from "vitest";
import { isUnverified, tlsProblem, withLibpqTls } from "./database-tls";

const BASE = "postgresql://console:p%40ss@db.example.com/console";
const HERE = "package.json";

test.each([
  ["", ""],
  ["?sslmode=require", "?sslmode=require&uselibpqcompat=true"],
  ["?sslmode=no-verify", "?sslmode=require&uselibpqcompat=true"],
  ["?sslmode=allow", "?sslmode=disable&uselibpqcompat=true"],
  [`?sslmode=verify-full&sslrootcert=${HERE}`, `?sslmode=verify-full&sslrootcert=${HERE}&uselibpqcompat=true`],
])("the TLS of %j is that of psql", (given, read) => {
  expect(tlsProblem(BASE + given)).toBeNull();
  expect(withLibpqTls(BASE + given)).toBe(BASE + read);
});

test("sslrootcert=system checks the server and its name", () => {
  const read = new URL(withLibpqTls(`${BASE}?sslrootcert=system`)).searchParams;
  expect(read.get("sslmode")).toBe("verify-full");
  expect(read.get("sslrootcert")).not.toBe("system");
});

test.each([
  ["?sslmode=on", "sslmode is one of"],
  ["?sslmode=require&sslrootcert=system", "sslmode is verify-full"],
  ["?sslmode=verify-ca", "needs sslrootcert"],
  ["?sslmode=verify-full&sslrootcert=/nowhere", "cannot be read"],
])("%j is refused in a sentence", (given, problem) => expect(tlsProblem(BASE + given)).toContain(problem));

test("that nothing checks whose server it is, is known", () => {
  const unverified = ["require", "prefer", "no-verify"].map((mode) => isUnverified(`${BASE}?sslmode=${mode}`));
  expect(unverified).toEqual([true, true, true]);
  expect(isUnverified(BASE)).toBe(false);
  expect(isUnverified(`${BASE}?sslmode=require&sslrootcert=${HERE}`)).toBe(false);
});
