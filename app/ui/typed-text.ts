"use client";

// What was typed into a page that is loaded anew: because the console was updated meanwhile, or after signing in again.

/** Until the page is loaded. */
const ANEW = "typed-text";
/** Until the form has done its work. */
const DRAFT = "draft";
/** A secret is never stored, not even for the moment in which a page is loaded. URLs of webhooks are secrets, too. */
const SECRET = /\bc(?:pat|srv|bench|edg)_\w|:\/\//;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Kept = { path: string; fields: [at: string, value: string | boolean][] };

const isChecked = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type);

/** The fields that people type into, by their ids or by where they stand on the page. */
function fieldsIn(forms: Iterable<HTMLFormElement>): Map<string, Field> {
  const fields = new Map<string, Field>();
  const all = [...document.forms];
  for (const form of forms) {
    for (const field of form.elements) {
      const isTyped =
        field instanceof HTMLSelectElement ||
        (field instanceof HTMLTextAreaElement && !field.readOnly) ||
        (field instanceof HTMLInputElement && !field.readOnly && !/^(?:hidden|password|file|submit)$/.test(field.type));
      if (!isTyped || !field.name) continue;
      const at = field.id || [all.indexOf(form), field.name, isChecked(field) ? field.value : ""].join(" ");
      if (!fields.has(at)) fields.set(at, field);
    }
  }
  return fields;
}

/** Keeps in this tab what was typed into these forms. */
function keep(key: string, forms: Iterable<HTMLFormElement>): void {
  const typed = [...fieldsIn(forms)].map(
    ([at, field]) => [at, isChecked(field) ? field.checked : field.value] as const,
  );
  const fields = typed.filter(([, value]) => !SECRET.test(String(value)));
  try {
    window.sessionStorage.setItem(key, JSON.stringify({ path: window.location.pathname, fields }));
  } catch {
    // Some browsers refuse storage. The page works without.
  }
}

/** Keeps what is typed into a form, in case the person has to sign in again. */
export function keepTyped(form: HTMLFormElement): void {
  keep(DRAFT, [form]);
}

/** Call it when the form has done its work, or the person has signed out. */
export function forgetTyped(): void {
  forget(DRAFT);
}

function forget(key: string): void {
  try {
    window.sessionStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to forget.
  }
}

/** Loads the page anew, with what was typed into it. */
export function loadAnew(): void {
  keep(ANEW, document.forms);
  window.location.reload();
}

/** Puts what was typed before into the page, and unfolds what holds it. React hears of it as if it were typed. */
export function restoreTyped(): void {
  restore(findKept(DRAFT));
  restore(findKept(ANEW));
  forget(ANEW);
}

function restore(kept: Kept | null): void {
  if (kept?.path !== window.location.pathname) return;
  const fields = fieldsIn(document.forms);
  for (const [at, value] of kept.fields) {
    const field = fields.get(at);
    if (!field || (isChecked(field) ? field.checked : field.value) === value) continue;
    const folded = field.closest("details");
    if (folded) folded.open = true;
    if (isChecked(field)) {
      field.click();
      continue;
    }
    // React keeps the setter of the element itself for what it writes.
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value") ?? {};
    set?.call(field, value);
    for (const event of ["input", "change"]) field.dispatchEvent(new Event(event, { bubbles: true }));
  }
}

function findKept(key: string): Kept | null {
  try {
    return JSON.parse(window.sessionStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
