// The log of the process: one line of JSON per event. Plain JavaScript, because the server writes to it as well.
import { lineLost } from "./lost-lines.mjs";

/**
 * Secrets to remove from every log line: raw tokens and keys, their hashes, and passwords inside URLs. Each pattern
 * must run in linear time. So none begins with a repetition, and adjacent repetitions are bounded.
 * @type {readonly [RegExp, string][]}
 */
const SECRETS = [
  [/(cpat_|csrv_|cbench_|cedg_)[0-9A-Za-z]+/g, "$1[removed]"],
  [/[0-9a-f]{64,}/g, "[removed]"],
  [/:\/\/([^\s:/@]{0,100}):[^\s@]{1,1000}@/g, "://$1:[removed]@"],
];

/** Fields are cut to this length before the patterns run, so that long input cannot block the process. A stack fits. */
const MAX_LENGTH = 4000;
/**
 * The patterns miss a secret that the cut splits, so up to this much is cut as well, back to a space if there is one.
 */
const LONGEST_SECRET = 500;

/** @typedef {Record<string, string | number | boolean | null | undefined>} Fields */

/**
 * Writes one line of JSON: `info` to standard output, `error` to standard error. No field can split a line or reach a
 * terminal: control and invisible characters are escaped. Secrets are removed from every string. A line that cannot be
 * written is counted (`lost-lines.mjs`).
 * @param {"info" | "error"} level
 * @param {string} event
 * @param {Fields} [fields]
 */
export function log(level, event, fields = {}) {
  const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }, (_, value) =>
    typeof value === "string" ? removeSecrets(cut(value)) : value,
  );
  const stream = level === "error" ? process.stderr : process.stdout;
  stream.write(`${escapeInvisible(line)}\n`, (error) => error && lineLost(stream));
}

/** @param {string} text */
function removeSecrets(text) {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** @param {string} text */
function cut(text) {
  if (text.length <= MAX_LENGTH) return text;
  let end = MAX_LENGTH;
  while (end > MAX_LENGTH - LONGEST_SECRET && !/\s/.test(text.charAt(end - 1))) end--;
  return `${text.slice(0, end)}… [cut]`;
}

/**
 * JSON leaves these as they are: C1 controls, which some terminals obey, line separators, and text direction.
 * @param {string} line
 */
function escapeInvisible(line) {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
