import { findId } from "./ids";

/** More characters than any field allows. */
const MAX_LENGTH = 2048;

/**
 * A field of a form as text. Empty for an absent field, for a file, and without a form. A very long text is cut to a
 * length that every field still refuses, so that checks stay cheap.
 */
export function textOf(form: FormData, name: string, maxLength = MAX_LENGTH): string {
  const value = form instanceof FormData ? form.get(name) : null;
  return typeof value === "string" ? value.slice(0, maxLength) : "";
}

/** The id in a field of a form. 0, which nothing has, when it holds none. */
export function idIn(form: FormData, name = "id"): number {
  return findId(textOf(form, name)) ?? 0;
}

/** Whether the text can be the one-use number that a page put into its form, which makes a repeated POST harmless. */
export function isFormNonce(text: string): boolean {
  return /^[\w-]{20,64}$/.test(text);
}
