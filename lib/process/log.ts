/**
 * Secrets to remove from every log line: raw tokens and keys, their hashes, and passwords inside URLs. Each pattern
 * must run in linear time. So none begins with a repetition, and adjacent repetitions are bounded.
 */
const SECRETS: readonly [RegExp, string][] = [
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

export type Fields = Record<string, string | number | boolean | null | undefined>;

/**
 * Writes one line of JSON: `info` to standard output, `error` to standard error. No field can split a line or reach a
 * terminal: control and invisible characters are escaped. Secrets are removed from every string.
 */
export function log(level: "info" | "error", event: string, fields: Fields = {}): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }, (_, value: unknown) =>
    typeof value === "string" ? removeSecrets(cut(value)) : value,
  );
  (level === "error" ? process.stderr : process.stdout).write(`${escapeInvisible(line)}\n`);
}

function removeSecrets(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  let end = MAX_LENGTH;
  while (end > MAX_LENGTH - LONGEST_SECRET && !/\s/.test(text.charAt(end - 1))) end--;
  return `${text.slice(0, end)}… [cut]`;
}

/** JSON leaves these as they are: C1 controls, which some terminals obey, line separators, and text direction. */
function escapeInvisible(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
