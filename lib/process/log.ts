/** What must never reach a log, whatever text it hides in: raw tokens and keys, their hashes, and passwords inside addresses. */
const SECRETS: readonly [RegExp, string][] = [
  [/(cpat_|csrv_|cbench_)[0-9A-Za-z]+/g, "$1[removed]"],
  [/\b[0-9a-f]{64}\b/g, "[removed]"],
  [/(\w+:\/\/[^\s:/@]*):[^\s@/]*@/g, "$1:[removed]@"],
];

type Fields = Record<string, string | number | boolean | null | undefined>;

/**
 * Writes one line of JSON: `info` to standard output, `error` to standard error. JSON escapes every line break, so no
 * field can split a line. Secrets are removed from every string.
 */
export function log(level: "info" | "error", event: string, fields: Fields = {}): void {
  const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }, (_, value: unknown) =>
    typeof value === "string" ? removeSecrets(value) : value,
  );
  (level === "error" ? process.stderr : process.stdout).write(`${escapeSeparators(line)}\n`);
}

function removeSecrets(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** U+2028, U+2029 and U+0085 are line breaks to some log readers, and JSON leaves them as they are. */
function escapeSeparators(line: string): string {
  return line.replace(/[\u0085\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
