import { expect, test } from "vitest";
import { answerText } from "./answer-text";

test("what does not fit is left out: first the facts, then the last rows", () => {
  const rows = Array.from({ length: 500 }, (_, n) => `${n} ${"y".repeat(50)}`);
  const text = answerText({ id: 1, facts: { os: "x".repeat(20_000) }, rows });
  // In a message of JSON-RPC, of 16,000 bytes at most.
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(16_000);
  const answer = JSON.parse(text);
  expect(answer).toEqual({
    ...{ id: 1, facts_left_out: true, left_out: 500 - answer.rows.length },
    rows: rows.slice(0, answer.rows.length),
  });
  expect(answer.rows.length).toBeGreaterThan(200);
});
