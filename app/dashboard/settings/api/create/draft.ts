/** This tab keeps the draft of the create form under this key until the token exists. */
const KEY = "token-draft";

type Draft = Record<string, string>;

/** Keeps the draft in case the person has to sign in again. It never keeps passwords or possible tokens. */
export function keepDraft(form: HTMLFormElement): void {
  const typed = ["name", "expiry", "date", "networks"].map((name) => [
    name,
    String(new FormData(form).get(name) ?? ""),
  ]);
  const text = JSON.stringify(Object.fromEntries(typed));
  try {
    if (!text.includes("cpat_")) window.sessionStorage.setItem(KEY, text);
  } catch {
    // Some browsers refuse storage. The form works without a draft.
  }
}

/** Returns the draft. It is empty when there is none or it cannot be read. */
export function findDraft(): Draft {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEY) ?? "{}") as Draft;
  } catch {
    return {};
  }
}

/** Call it when the token exists or the person has signed out. */
export function forgetDraft(): void {
  try {
    window.sessionStorage.removeItem(KEY);
  } catch {
    // Without storage there is no draft to delete.
  }
}
