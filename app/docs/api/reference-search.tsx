"use client";

import { useState } from "react";
import { useScripts } from "@/app/ui/use-scripts";
import styles from "./page.module.css";

type Found = { id: string; title: string };

/** At most so many results: more would hide the contents below. */
const MOST = 8;

/** Finds words in the parts of this page, in the browser alone. It is hidden where there is no JavaScript. */
export function ReferenceSearch() {
  const [found, setFound] = useState<Found[] | null>(null);
  return (
    <search className={`with-script ${useScripts() ? "" : "not-yet"} stack dense text-md ${styles.search}`}>
      <label htmlFor="find">Find on this page</label>
      <input
        id="find"
        type="search"
        className="input"
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        onInput={(event) => setFound(findParts(event.currentTarget.value))}
      />
      <span role="status" className="hint">
        {found && (found.length === 0 ? "Nothing found." : `Found: ${Math.min(MOST, found.length)} of ${found.length}`)}
      </span>
      {found && found.length > 0 && (
        <ul className={`breaks text-sm ${styles.endpoints}`}>
          {found.slice(0, MOST).map(({ id, title }) => (
            <li key={id}>
              <a className="target" href={`#${id}`}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

/** The smallest parts that hold every word, those whose titles do first; null for no word. */
function findParts(typed: string): Found[] | null {
  const words = typed.trim().toLowerCase().split(/\s+/);
  if (words[0] === "") return null;
  const holds = (text: string | null | undefined) => words.every((word) => text?.toLowerCase().includes(word));
  const parts = [...document.querySelectorAll<HTMLElement>("main :is(section, article)[aria-labelledby]")];
  return parts
    .filter(
      (part) =>
        holds(part.textContent) &&
        !parts.some((inner) => inner !== part && part.contains(inner) && holds(inner.textContent)),
    )
    .map((part) => {
      const id = part.getAttribute("aria-labelledby") ?? "";
      const title = document.getElementById(id)?.textContent ?? id;
      return { id, title: title.replace("GET /api/v1", "") };
    })
    .sort((a, b) => Number(holds(b.title)) - Number(holds(a.title)));
}
