"use client";

// What was typed into a page that must be loaded anew, because the console was updated meanwhile.

const KEY = "typed-text";
/** A secret is never stored, not even for the moment in which a page is loaded. URLs of webhooks are secrets, too. */
const SECRET = /\bc(?:pat|srv|bench|edg)_\w|:\/\//;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Kept = { path: string; fields: [at: string, value: string | boolean][] };

const isChecked = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type);

/** The fields that people type into, by where they stand on the page. */
function fieldsOfPage(): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const [place, form] of [...document.forms].entries()) {
    for (const field of form.elements) {
      const isTyped =
        field instanceof HTMLSelectElement ||
        (field instanceof HTMLTextAreaElement && !field.readOnly) ||
        (field instanceof HTMLInputElement && !field.readOnly && !/^(?:hidden|password|file|submit)$/.test(field.type));
      if (!isTyped || !field.name) continue;
      const at = [place, field.name, isChecked(field) ? field.value : field.id].join(" ");
      if (!fields.has(at)) fields.set(at, field);
    }
  }
  return fields;
}

/** Loads the page anew, with what was typed into it. */
export function loadAnew(): void {
  const typed = [...fieldsOfPage()].map(([at, field]) => [at, isChecked(field) ? field.checked : field.value] as const);
  const fields = typed.filter(([, value]) => !SECRET.test(String(value)));
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify({ path: window.location.pathname, fields }));
  } catch {
    // Some browsers refuse storage. The page is loaded all the same.
  }
  window.location.reload();
}

/** Puts what was typed before into the page, once. React hears of it as if it were typed. */
export function restoreTyped(): void {
  const kept = takeKept();
  if (kept?.path !== window.location.pathname) return;
  const fields = fieldsOfPage();
  for (const [at, value] of kept.fields) {
    const field = fields.get(at);
    if (!field || (isChecked(field) ? field.checked : field.value) === value) continue;
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

function takeKept(): Kept | null {
  try {
    const text = window.sessionStorage.getItem(KEY);
    if (text !== null) window.sessionStorage.removeItem(KEY);
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
