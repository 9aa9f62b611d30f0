"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { followedLink } from "@/app/ui/followed-link";
import { Link } from "@/app/ui/link";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { MAX_FILTER_LENGTH, type View } from "./view";
import styles from "./view-form.module.css";

/** Debounces typing where the server filters, so that not every letter sends a request. */
const WAIT_MS = 250;

/**
 * Filters tokens. JavaScript filters while the person types. Without JavaScript, and for a filter in the URL, the server
 * filters.
 */
export function ViewForm({ view }: { view: View }) {
  const router = useRouter();
  const [shown, setShown] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOfServer = view.filter !== "";

  const withTyped = (path: string) => {
    clearTimeout(timer.current);
    const url = new URL(path, window.location.href);
    url.searchParams.delete("filter");
    if (field.current?.value.trim()) url.searchParams.set("filter", field.current.value.trim());
    return url.href;
  };
  const onInput = (event: React.FormEvent<HTMLInputElement>) => {
    if (!isOfServer) return setShown(filterRows(event.currentTarget.value));
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => router.replace(withTyped(`${TOKEN_PAGE}?sort=${view.sort}`), { scroll: false }),
      WAIT_MS,
    );
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: `withTyped` reads the field when it is called
  useEffect(() => {
    // A title of a column leads to the page that the server sorts. What was typed goes along.
    const keepFilter = (event: MouseEvent) => {
      const link = followedLink(event);
      if (!link?.closest("thead") || event.defaultPrevented) return;
      event.preventDefault();
      router.push(withTyped(link.href), { scroll: false });
    };
    document.addEventListener("click", keepFilter, { capture: true });
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener("click", keepFilter, { capture: true });
    };
  }, []);

  return (
    <form className={`row near ${styles.form}`} method="get" action={TOKEN_PAGE} data-leaves-page>
      <div className={`field ${styles.filter}`}>
        <label htmlFor="filter">Find</label>
        <input
          ref={field}
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
      {/* Typing is enough where there is JavaScript. */}
      <button type="submit" className="button quiet without-script">
        Find
      </button>
      {isOfServer && (
        <Link className="control" href={TOKEN_PAGE}>
          Show all
        </Link>
      )}
      <span role="status" className="control hint">
        {/* The server's own count stands in the heading of the list. */}
        {!isOfServer && shown}
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
