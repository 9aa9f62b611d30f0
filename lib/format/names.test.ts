import { expect, test } from "vitest";
import { nameProblem } from "./names";

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
  "a\u200Bb",
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
