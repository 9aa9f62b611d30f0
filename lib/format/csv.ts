/** One row of a CSV file (RFC 4180). */
export function csvRow(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

/** A text that begins like a formula is quoted, so that a spreadsheet shows it and does not run it. */
function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[\s]*[=+\-@]/.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
