/** A field of a form as text; empty for an absent one and for a file. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

/** Whether the text can be the one-use number that a page put into its form, which makes a repeated POST harmless. */
export function isFormNonce(text: string): boolean {
  return /^[\w-]{20,64}$/.test(text);
}
