import { expect, test } from "vitest";
import { nameProblem, normalName } from "./names";

test.each([
  "a",
  "Grafana on monitor-1",
  "日本語",
  "بيت",
  "नमस्ते",
  "é",
  "👩‍👩‍👧‍👦",
  "❤️",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "1️⃣ 👩🏽‍🚀 👩‍❤️‍👨 🏳️‍🌈",
  "می‌خواهم",
  "क्‍ष",
  "x".repeat(64),
  "🔑".repeat(64),
])("%j is a name", (name) => expect(nameProblem("name", name, 64)).toBeNull());

test.each([
  "\u200B",
  "\u200B\u200C\u200D",
  "\u2060",
  "\uFEFF",
  "\u00AD",
  "\u034F",
  "\u115F\u1160",
  "\u180E",
  "\u2800",
  "\u3164",
  "\uFFA0",
  "\uFE0F",
  "\u{E0041}",
  " \u00A0\u2003 ",
  "\u0301",
  "\uE000",
])("%j can be seen by nobody and is no name", (name) => {
  expect(nameProblem("name", name, 64)).toBe("A name needs at least one character that can be seen.");
});

test.each([
  ["a\u200Bb", "200B"],
  ["a\u00ADb", "00AD"],
  ["a\u200Db", "200D"],
  ["a\u200Cb", "200C"],
  ["می\u200C", "200C"],
  ["می\u200C\u200Cخواهم", "200C"],
  ["1\uFE0Fa", "FE0F"],
  ["a\uFEFFb", "FEFF"],
  ["a\u2060b", "2060"],
  ["a\u3164b", "3164"],
  ["a\u{E0041}b", "E0041"],
])("%j is no name: nobody sees how it differs from another", (name, code) => {
  expect(nameProblem("name", name, 64)).toBe(
    `A name cannot hold characters that nobody can see. This one holds U+${code}.`,
  );
});

test("a name is stored composed and trimmed", () => {
  expect(normalName("  Cafe\u0301 ")).toBe("Café");
});

test.each(["a\nb", "a\u0000b", "a\u2028b", "a\u0085b", "a\u202Eb", "a\u2066b", "a\uD800b", "a\u001B[31m"])(
  "%j is no name: it breaks lines, or fools whoever reads it",
  (name) => {
    expect(nameProblem("name", name, 64)).toBe(
      "A name cannot hold line breaks, control characters or text-direction characters.",
    );
  },
);

test.each(["x".repeat(65), "🔑".repeat(65), "\u0301".repeat(10_000_000)])(
  "what is too long is no name, however long it is",
  (name) => {
    expect(nameProblem("name", name, 64)).toBe("A name has at most 64 characters.");
  },
);
