/** Where a browser keeps what was typed into the create form until the token exists; in this tab alone. */
const KEY = "token-draft";

export type Draft = Record<string, string>;

/** Keeps what was typed, for after a sign-in on the way. Nothing that could be a token is kept, nor any password. */
export function keepDraft(form: HTMLFormElement): void {
  const typed = ["name", "expiry", "date"].map((name) => [name, String(new FormData(form).get(name) ?? "")]);
  const text = JSON.stringify(Object.fromEntries(typed));
  try {
    if (!text.includes("cpat_")) window.sessionStorage.setItem(KEY, text);
  } catch {
    // A browser that keeps nothing keeps no draft.
  }
}

/** What was kept; empty for nothing, and for what cannot be read. */
export function findDraft(): Draft {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEY) ?? "{}") as Draft;
  } catch {
    return {};
  }
}

/** Once the token exists, or whoever typed is gone. */
export function forgetDraft(): void {
  try {
    window.sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
