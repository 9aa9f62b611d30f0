import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./line-protocol";

const ARRIVED = new Date(1_800_000_000_500);
const NS = 1e-6;
const read = (text: string) => {
  const { hosts, readings, problems } = readLines(Buffer.from(text), NS, ARRIVED);
  return { hosts: [...hosts], readings, problems };
};
const TIME = "1800000000000000000";
const ts = 1_800_000_000_000;

test("names with escaped characters are read, and tags come in any order", () => {
  expect(read(`disk,path=/srv\\ data\\,\\=x,fstype=ext4,host=web\\ 1 used=5i,free=10i ${TIME}\n`)).toEqual({
    hosts: ["web 1"],
    readings: [
      { key: "disk|/srv data,=x|used", ts, value: 5 },
      { key: "disk|/srv data,=x|available", ts, value: 10 },
    ],
    problems: [],
  });
});

test("every form of number is read, and texts, booleans and overflows are ignored", () => {
  const load = (value: string) => read(`system,host=a load5=${value} ${TIME}`);
  for (const [value, wanted] of [
    ["1", 1],
    ["-1.5", -1.5],
    ["+.5", 0.5],
    ["1e3", 1000],
    ["1.E-2", 0.01],
    ["7i", 7],
    ["7u", 7],
  ] as const) {
    expect(load(value).readings, value).toEqual([{ key: "load5", ts, value: wanted }]);
  }
  for (const value of ["t", "FALSE", '"a \\"text\\", with = and \n a break"', "1e999"]) {
    expect(load(value), value).toEqual({ hosts: [], readings: [], problems: [] });
  }
  for (const value of ["", "1.5i", "i", "0x10", "NaN", "Infinity", "1e", "tr", "'a'", "1_000"]) {
    expect(load(value).problems, value).toEqual(['line 1: the value of "load5" is not a number, text or boolean.']);
  }
});

test("a bad line is reported by number, and lines around it are read", () => {
  const text = [
    `system,host=a uptime_format="one`,
    `two",load5=1 ${TIME}`,
    '# a comment, with a " in it',
    "",
    "  ",
    `system,host=a load5=x ${TIME}`,
    `system,host=a uptime=9i ${TIME}\r`,
    "system",
  ].join("\n");
  expect(read(text)).toEqual({
    hosts: ["a"],
    readings: [
      { key: "load5", ts, value: 1 },
      { key: "uptime", ts, value: 9 },
    ],
    problems: ['line 6: the value of "load5" is not a number, text or boolean.', "line 8: has no field."],
  });
});

test("a line without a time is of the moment at which it came", () => {
  expect(read("system,host=a load5=1").readings).toEqual([{ key: "load5", ts: ARRIVED.getTime(), value: 1 }]);
});

test("any text is read or reported line by line, in linear time", () => {
  const pieces = ["cpu", ",", "=", " ", "\n", '"', "\\", "1", "i", "host", "usage_idle", "#", "\r", "é"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      const { problems } = read(parts.join(""));
      expect(problems.length).toBeLessThanOrEqual(60);
    }),
    { numRuns: 5000 },
  );
  for (const part of ['a x="', " ", "a"]) expect(read(part.repeat(150_000)).readings).toEqual([]);
  // Where the time grew with the square of the digits, this would take longer than a test may.
  for (const part of ["1", "1.", ".", "-", "e", "1e", "t", "true", "i"]) {
    for (const number of [part, `1.${part}`, `1e${part}`]) {
      expect(read(`system,host=a load5=${number}${part.repeat(300_000)}x`).problems).toHaveLength(1);
      expect(read(`system,host=a load5=1 ${number}${part.repeat(300_000)}x`).problems).toHaveLength(1);
    }
  }
  for (const part of ['a x="\\', "a,", ",,", "a x=1,"]) expect(read(part.repeat(150_000)).problems).toHaveLength(1);
  for (const part of ["\\", 'a x="\n', "\n", "system load5=1\n"]) {
    expect(() => read(part.repeat(150_000))).toThrow(expect.objectContaining({ status: 413 }));
  }
});

test("tags and fields of a line are bounded", () => {
  expect(read(`x${",a=1".repeat(25_000)} ${"b=1,".repeat(25_000)}b=1`).problems).toEqual([]);
  expect(() => read(`x${",a=1".repeat(25_000)} ${"b=1,".repeat(25_001)}b=1`)).toThrow("more than 50000 parts");
});
