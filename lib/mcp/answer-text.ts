/** The most bytes of an answer, its envelope included. */
const MAX_ANSWER = 16_000;
/** What the protocol writes around the text of a tool. */
const ENVELOPE = 600;

type Json = Record<string, unknown>;

/**
 * The JSON of an answer of a tool, which stands as a text in another JSON. What does not fit is left out: first the facts,
 * which `facts_left_out` says, then rows, the last first, and `left_out` says how many.
 */
export function answerText(answer: Json): string {
  const text = JSON.stringify(answer);
  if (fits(text)) return text;
  if (answer.facts !== undefined) return answerText({ ...answer, facts: undefined, facts_left_out: true });
  const rows = Array.isArray(answer.rows) ? answer.rows : [];
  // The most rows that fit, by halves.
  let [fitting, beyond] = [0, rows.length];
  while (beyond - fitting > 1) {
    const middle = Math.floor((fitting + beyond) / 2);
    if (fits(textOf(answer, rows, middle))) fitting = middle;
    else beyond = middle;
  }
  return textOf(answer, rows, fitting);
}

function textOf(answer: Json, rows: unknown[], count: number): string {
  return JSON.stringify({ ...answer, rows: rows.slice(0, count), left_out: rows.length - count });
}

function fits(text: string): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= MAX_ANSWER - ENVELOPE;
}
