"use client";

import Link from "next/link";
import { useState } from "react";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { MAX_FILTER_LENGTH, type View } from "./view";
import styles from "./view-form.module.css";

/**
 * Filters tokens. JavaScript filters while the person types. Without JavaScript, and for a filter in the URL, the server
 * filters.
 */
export function ViewForm({ view }: { view: View }) {
  const [shown, setShown] = useState<string | null>(null);
  const isOfServer = view.filter !== "";
  const onInput = (event: React.FormEvent<HTMLInputElement>) => {
    if (!isOfServer) setShown(filterRows(event.currentTarget.value));
  };
  return (
    <form className={styles.form} method="get" action={TOKEN_PAGE} data-leaves-page>
      <div className={`field ${styles.filter}`}>
        <label htmlFor="filter">Find</label>
        <input
          id="filter"
          className="input"
          name="filter"
          type="search"
          defaultValue={view.filter}
          placeholder="Part of a name, last characters, ip"
          // The filter goes into the URL, so the field is too short for a token.
          maxLength={MAX_FILTER_LENGTH}
          autoComplete="off"
          onInput={onInput}
        />
      </div>
      <input type="hidden" name="sort" value={view.sort} />
      <button type="submit" className={`button quiet ${styles.submit}`}>
        Find
      </button>
      {isOfServer && (
        <Link className={styles.all} href={TOKEN_PAGE} prefetch={false}>
          Show all
        </Link>
      )}
      <span role="status" className="hint">
        {shown}
      </span>
    </form>
  );
}

/** Hides rows whose `data-search` does not contain the text, and returns a message with the number of matches. */
function filterRows(typed: string): string | null {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^cpat_…?/, "");
  const rows = [...document.querySelectorAll<HTMLElement>("tr[data-search]")];
  for (const row of rows) row.hidden = !row.dataset.search?.includes(text);
  for (const folded of document.querySelectorAll<HTMLDetailsElement>("details:has(tr[data-search])")) {
    folded.open = text !== "";
  }
  // The selection counts what can be seen.
  for (const form of document.querySelectorAll("form:has(tr[data-search])")) {
    form.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return text === "" ? null : `${rows.filter(({ hidden }) => !hidden).length} of ${rows.length} tokens`;
}
