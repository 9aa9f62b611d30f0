/** No field of any form needs more. */
const MAX_LENGTH = 2048;

/**
 * A field of a form as text; empty for an absent one, for a file, and where somebody sent no form at all. A longer one than any field allows is cut, to what
 * is still too long for it: whoever reads it refuses it, at the cost of a short one.
 */
export function textOf(form: FormData, name: string): string {
  const value = form instanceof FormData ? form.get(name) : null;
  return typeof value === "string" ? value.slice(0, MAX_LENGTH) : "";
}

/** Whether the text can be the one-use number that a page put into its form, which makes a repeated POST harmless. */
export function isFormNonce(text: string): boolean {
  return /^[\w-]{20,64}$/.test(text);
}
