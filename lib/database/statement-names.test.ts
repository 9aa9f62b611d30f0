import { expect, test } from "vitest";
import { StatementNames } from "./statement-names";

test("a name hashes the text alone and is the same in every process", () => {
  const [one, other] = [new StatementNames(true), new StatementNames(true)];
  other.find("select 2");
  expect(one.find("select 1")).toBe("console_822ae07d4783158bc1912bb623e5107cc9002d51");
  expect(other.find("select 1")).toBe(one.find("select 1"));
  expect(other.find("select 2")).not.toBe(one.find("select 1"));
});

test("500 texts keep a name and further ones go without", () => {
  const names = new StatementNames(true);
  const texts = Array.from({ length: 501 }, (_, n) => `select ${n}`);
  expect(new Set(texts.map((text) => names.find(text))).size).toBe(501);
  expect(texts.filter((text) => names.find(text) === undefined)).toEqual(["select 500"]);
});

test("turned off, no text has a name, and only the first caller is told", () => {
  const names = new StatementNames(true);
  expect(names.find("select 1")).toBeDefined();
  expect([names.turnOff(), names.turnOff()]).toEqual([true, false]);
  expect(names.find("select 1")).toBeUndefined();
  expect(new StatementNames(false).find("select 1")).toBeUndefined();
});
