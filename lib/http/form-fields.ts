/** More characters than any field allows. */
const MAX_LENGTH = 2048;

/**
 * A field of a form as text; empty for an absent field, for a file, and without a form. A text that is too long for any
 * field is cut, and stays too long: its reader refuses it after looking at little of it.
 */
export function textOf(form: FormData, name: string): string {
  const value = form instanceof FormData ? form.get(name) : null;
  return typeof value === "string" ? value.slice(0, MAX_LENGTH) : "";
}

/** Whether the text can be the one-use number that a page put into its form, which makes a repeated POST harmless. */
export function isFormNonce(text: string): boolean {
  return /^[\w-]{20,64}$/.test(text);
}
